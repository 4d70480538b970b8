import { readdirSync } from "node:fs";
import { join, sep } from "node:path";
import { fence, fenceCode } from "../../src/adapters/models/fence.ts";
import { slugOf } from "../../src/adapters/spec-stores/path.ts";
import { parseIssueFile } from "../../src/adapters/trackers/issue-file/parse.ts";
import { canBeGoAhead, proceedSignal } from "../../src/approval/go-ahead.ts";
import { readReply, refusalIn } from "../../src/approval/read-reply.ts";
import { readRepositoryFile } from "../../src/config/repository-file.ts";
import { mentions } from "../../src/domain/event.ts";
import { readIssue } from "../../src/domain/issue-text/issue-reading.ts";
import { statementsIn } from "../../src/domain/statements/statements.ts";
import { keptText } from "../../src/domain/text/clean-text.ts";
import { detectLanguage } from "../../src/domain/text/language.ts";
import { placesMeant } from "../../src/domain/statements/places-meant.ts";
import { safeComment } from "../../src/domain/text/comment-sanitizer.ts";
import { stripHiddenText } from "../../src/domain/text/hidden-text.ts";
import { hiddenInCode } from "../../src/domain/text/shown-code.ts";
import { defuseStrangers } from "../../src/domain/text/mention-sanitizer.ts";
import { foreignLinksAsText } from "../../src/domain/text/outgoing-links.ts";
import { junitTests } from "../../src/implementation/run/test-report/junit.ts";
import { lineTests } from "../../src/implementation/run/test-report/json-lines.ts";
import { hasMarkers } from "../../src/implementation/run/workspace/conflict-markers.ts";
import { relevantOutput } from "../../src/implementation/run/relevant-output.ts";
import { markdown } from "../../src/server/dashboard/markdown.ts";
import { compareSpecs } from "../../src/specification/compare.ts";
import { validateSpec } from "../../src/specification/validate/validate.ts";

/** Something that reads text by others. What it returns does not matter, nor what it throws at nonsense. */
export interface Reader {
  name: string;
  read: (text: string) => unknown;
}

/** Where readers of whole texts are. */
const FOLDERS = [
  "domain",
  "lib",
  "approval",
  "notify",
  "plan",
  "planner/rules",
  "specification",
  "implementation/pull-request",
  "implementation/run/test-report",
];
const TEXT =
  /^(?:async )?(?:function )?\w*\s*\(\s*(?:text|markdown|content|comment|body|raw|original|xml|output|title|message|patch)\b/;
const BOUNDARY = "0123456789abcdef";
const limits = { mode: "plan", fastTrack: false } as const;

/** Readers that take more than a text, or stand elsewhere. */
const MORE: Readonly<Record<string, (text: string) => unknown>> = {
  detectLanguage,
  keptText,
  placesMeant,
  readIssue: (text) => readIssue({ title: text.slice(0, 200), body: text, labels: [] }),
  "readIssue, comments": (text) =>
    readIssue({ title: "x", body: "x", labels: [], comments: [{ author: "ann", body: text }] }),
  "stripHiddenText, own": (text) => stripHiddenText(text, { tags: false }),
  "hiddenInCode, mermaid": (text) => hiddenInCode("mermaid", text),
  "hiddenInCode, math": (text) => hiddenInCode("math", text),
  "hiddenInCode, dot": (text) => hiddenInCode("dot", text),
  "hiddenInCode, plantuml": (text) => hiddenInCode("plantuml", text),
  fence: (text) => fence(text.slice(0, 10_000), text, BOUNDARY),
  fenceCode: (text) => fenceCode("code", text, BOUNDARY),
  canBeGoAhead: (text) => canBeGoAhead(text, { asked: true }),
  proceedSignal: (text) => proceedSignal(text, { asked: true }),
  readReply,
  refusalIn,
  mentions: (text) => mentions(text, "relay"),
  statementsIn: (text) => statementsIn({ title: "x", body: text, labels: [], reporter: "ann" }, [], new Set(["ann"])),
  safeComment: (text) => safeComment(text, { participants: ["ann"], bot: "relay", origins: new Set() }),
  foreignLinksAsText: (text) => foreignLinksAsText(text, new Set(["https://a.b"])),
  defuseStrangers: (text) => defuseStrangers(text, ["ann"]),
  slugOf,
  parseIssueFile: (text) => parseIssueFile(Buffer.from(text), "issue.md"),
  readRepositoryFile: (text) => readRepositoryFile(text, limits),
  junitTests: (text) => junitTests(text, ({ name }) => name ?? ""),
  "junitTests, text": (text) =>
    junitTests(`<testsuite><testcase name="a"/>${text}</testsuite>`, ({ name }) => name ?? ""),
  lineTests: (text) => lineTests(text, "/"),
  hasMarkers: (text) => hasMarkers(text, { path: "a", sides: [] }),
  relevantOutput: (text) => relevantOutput(text, "/"),
  "markdown of the page": (text) => markdown(text),
  compareSpecs: (text) => compareSpecs("# Spec: a\n", text),
  validateSpec: async (text) => await validateSpec(text),
};

/**
 * All readers of whole texts: every exported function of these folders that takes a text and nothing else, so that none is
 * forgotten, and those that take more.
 */
export async function readers(): Promise<Reader[]> {
  const more = wholeReaders();
  const source = join(import.meta.dirname, "../../src");
  const found: Reader[] = [];
  for (const folder of FOLDERS) {
    const files = readdirSync(join(source, folder), { recursive: true, encoding: "utf8" })
      .map((file) => file.split(sep).join("/"))
      .filter((file) => file.endsWith(".ts") && !file.includes(".test."));
    for (const file of files.toSorted()) {
      const exported: unknown = await import(join(source, folder, file));
      for (const [name, value] of Object.entries(Object(exported))) {
        if (typeof value !== "function" || value.length !== 1 || !TEXT.test(value.toString())) continue;
        found.push({
          name: `${folder}/${file.replace(/\.ts$/, "")} ${name}`,
          read: (text) => Reflect.apply(value, null, [text]),
        });
      }
    }
  }
  return [...found, ...more];
}

/** Those through which texts by others come first, as long as trackers let them be. */
export function wholeReaders(): Reader[] {
  return Object.entries(MORE).map(([name, read]) => ({ name, read }));
}
