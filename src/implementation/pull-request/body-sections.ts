import { TRACKERS } from "../../adapters/trackers/registry.ts";
import { code, codeLink, inRow, prose, within } from "../../domain/text/comment-markdown.ts";
import type { ChangedTest } from "../../code/tests/changed-tests.ts";
import { escapeHiddenCharacters } from "../../domain/text/hidden-characters.ts";
import { isOfPlan } from "../../domain/concern.ts";
import type { Risk } from "../../domain/plan.ts";
import { type PhraseKey, type Translate, phrases } from "../../i18n/phrases.ts";
import { concernLines } from "../../notify/concern-words.ts";
import { reasonOfRisk, reasonToLook } from "../../notify/review-reason.ts";
import type { ChangedFile } from "../../domain/work.ts";
import { belongsToPlan } from "../run/concerns/beside-plan.ts";
import { undoneLines } from "../undone.ts";
import type { RequestFacts } from "./body-facts.ts";
import type { ChangedSymbols } from "./changed-symbols.ts";
import { withPlaceLinks } from "./place-links.ts";
import { problemOf } from "./scenarios.ts";

/** Both sets of phrases, in the issue's language. */
export interface Voice {
  say: Translate<"request">;
  plan: Translate<"plan">;
}

/** Characters for each list. */
const ROOM = {
  summary: 5_000,
  why: 1_200,
  files: 7_000,
  names: 600,
  untouched: 1_500,
  commands: 900,
  assumptions: 2_500,
  undone: 3_000,
  flags: 500,
};

/** How many names of symbols or tests are shown per file. */
const MOST_NAMES = 8;

/** Limit on the entries that are examined; more would not fit anyway. */
export const MANY = 300;

export function voiceOf({ language, provider }: Pick<RequestFacts["issue"], "language" | "provider">): Voice {
  const { requestWord } = TRACKERS[provider];
  return { say: phrases("request", language, requestWord), plan: phrases("plan", language, requestWord) };
}

export function heading(key: PhraseKey<"request">, { say }: Voice): string {
  return `## ${say(key)}`;
}

/** As many lines as fit, and the number of those left out. */
export function lines(made: readonly string[], room: number, total: number, { say }: Voice): string[] {
  return within(made, { most: room, total, mark: (number) => `- ${say("more", { number })}` });
}

/**
 * What reviewers should look at first; for a confidential issue, nothing that reveals its plan. Empty without concerns.
 */
export function lookFirst({ concerns, neutral, issue }: RequestFacts, voice: Voice): string {
  const made = concernLines(
    concerns.filter((one) => !neutral || (!isOfPlan(one) && !one.agreed)),
    issue.language,
  );
  return made.length === 0 ? "" : [heading("look_first", voice), "", ...made.map((line) => `- ${line}`)].join("\n");
}

/**
 * The diff file by file, the files that go with the plan or are missing from it, and the agent's own words as a
 * quotation.
 */
export function whatChanged(facts: RequestFacts, voice: Voice): string {
  const symbols = new Map(facts.symbols.map((one) => [one.path, one]));
  // Deletions come first, so that they cannot hide at the end of a long list.
  const ordered = [...facts.changes.filter(isDeletion), ...facts.changes.filter((file) => !isDeletion(file))];
  const made = ordered.slice(0, MANY).map((file) => {
    const ofFile = facts.tests.filter(({ path }) => path === file.path);
    const about = { symbols: symbols.get(file.path), tests: ofFile, target: facts.linkTargets.get(file.path) ?? "?" };
    return `- ${fileName(file.path)}${detailsOf(file, about, voice)}`;
  });
  const parts = [
    lines(made, ROOM.files, facts.changes.length, voice).join("\n"),
    besidePlan(facts, voice),
    agentWords(facts.summary ?? "", voice),
  ];
  return [heading("what", voice), ...parts.filter((part) => part !== "")].join("\n\n");
}

/** A paragraph in which the spec merely quotes the issue stays a quotation. */
function problemLine(paragraph: string, language: string): string {
  const lead = phrases("spec", language)("problem_now", { text: "\n" }).split("\n")[0] ?? "";
  return paragraph.startsWith(lead) ? `> ${prose(paragraph.slice(lead.length), 900)}` : prose(paragraph, 900);
}

const CHANGE = { added: "file_added", modified: "file_modified", deleted: "file_deleted" } as const;

const MARK = {
  link: "file_link",
  executable: "file_executable",
  "not executable": "file_not_executable",
  submodule: "file_submodule",
  binary: "file_binary",
} as const;

/** A path, with hidden and direction-changing characters escaped, so that no two files look the same. */
function fileName(path: string): string {
  return code(escapeHiddenCharacters(path), 200);
}

/** ` (new): adds `total`; changes `Cart.sum``; line counts only if no symbol is known. */
function detailsOf(
  { change, addedLines, removedLines, mark }: ChangedFile,
  { symbols, tests, target }: { symbols: ChangedSymbols | undefined; tests: readonly ChangedTest[]; target: string },
  { say }: Voice,
): string {
  const testsOf = (kind: ChangedTest["kind"], key: PhraseKey<"request">) => {
    const names = tests.filter((one) => one.kind === kind).map(({ name, before }) => renamed(name, before));
    return names.length > 0 && say(key, { names: named(names) });
  };
  const removed = testsOf("removed", "tests_removed");
  const parts = [
    symbols && symbols.added.length > 0 && say("adds", { names: named(symbols.added) }),
    symbols && symbols.changed.length > 0 && say("changes", { names: named(symbols.changed) }),
    symbols && symbols.removed.length > 0 && say("removes", { names: named(symbols.removed) }),
    testsOf("new", "tests_new"),
    testsOf("changed", "tests_changed"),
    removed,
  ].filter((part) => typeof part === "string");
  if (change === "deleted") {
    return ` (${say("file_deleted")}, −${removedLines})${removed === false ? "" : `: ${removed}`}`;
  }
  const marked = mark === undefined ? [] : [say(MARK[mark], { target: fileName(target) })];
  const kind = [...(change === "added" ? [say("file_added")] : []), ...marked].join(", ");
  if (parts.length > 0) return `${kind === "" ? "" : ` (${kind})`}: ${parts.join("; ")}`;
  const hasLines = addedLines + removedLines > 0 && mark !== "link" && mark !== "submodule";
  const counted = mark === undefined || hasLines ? [`+${addedLines} −${removedLines}`] : [];
  return ` (${[say(CHANGE[change]), ...marked, ...counted].join(", ")})`;
}

/** `old name → new name` */
function renamed(name: string, before: string | undefined): string {
  return before === undefined ? name : `${before} → ${name}`;
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => code(name, 120));
  return inRow(shown, ROOM.names, names.length);
}

/** Files that go with the plan without being named in it, and planned files that were not changed. */
function besidePlan({ changes, plan }: RequestFacts, { say }: Voice): string {
  const planned = plan.file_changes.map(({ path }) => path);
  const changed = new Set(changes.map(({ path }) => path));
  const companions = changes.filter((file) => !planned.includes(file.path) && belongsToPlan(file, plan));
  const listed = (key: PhraseKey<"request">, paths: readonly string[]) =>
    paths.length > 0 && `**${say(key)}:** ${inRow(paths.slice(0, MANY).map(fileName), ROOM.untouched, paths.length)}`;
  return [
    listed(
      "companions",
      companions.map(({ path }) => path),
    ),
    listed(
      "untouched",
      planned.filter((path) => !changed.has(path)),
    ),
  ]
    .filter((line) => typeof line === "string")
    .join("  \n");
}

/** Quoted, since nobody has checked what it says. */
function agentWords(summary: string, voice: Voice): string {
  const said = summary
    .slice(0, 20_000)
    .split("\n")
    .filter((line) => line.trim() !== "");
  if (said.length === 0) return "";
  const made = said.slice(0, 30).map((line) => {
    const point = /^\s*(?:[-*+]|\d{1,3}[.)])\s+(.*)/.exec(line)?.[1];
    return point === undefined ? `> ${prose(line.replace(/^\s*#+\s*/, ""), 600)}  ` : `> - ${prose(point, 400)}`;
  });
  const quoted = lines(made, ROOM.summary, said.length, voice);
  return [voice.say("agent_says"), "", ...quoted].join("\n").trimEnd();
}

/** What is wrong or missing, in the spec's words, else the issue's title. Citation numbers are left out. */
export function why({ spec, issue }: RequestFacts, voice: Voice): string {
  const told = spec === null ? [] : problemOf(spec.text).map((paragraph) => problemLine(paragraph, issue.language));
  const text = told.length > 0 ? within(told, { most: ROOM.why, total: told.length, mark: () => "…" }) : [];
  const shown = text.map((paragraph) => withPlaceLinks(paragraph, spec?.places ?? new Map()));
  return [heading("why", voice), ...(shown.length > 0 ? shown : [prose(issue.title, 300)])].join("\n\n");
}

export function howToVerify({ checks, branch }: RequestFacts, voice: Voice): string {
  const commands = [...new Set(checks.filter(({ kind }) => kind !== "setup").map(({ command }) => command))];
  const shown = commands.slice(0, MANY).map((command) => code(command, 200));
  const slots = { branch: code(branch, 150), commands: inRow(shown, ROOM.commands, commands.length) };
  return [heading("verify", voice), "", voice.say(shown.length > 0 ? "verify_run" : "verify_none", slots)].join("\n");
}

/** The risk with its reason: `because`, else the triage's; a low risk needs none. */
export function riskLines(
  { plan, triage }: RequestFacts,
  { risk, because, draft }: { risk: Risk; because: string | null; draft: boolean },
  voice: Voice,
): string {
  const look = reasonToLook(plan, triage, voice.plan);
  const reasoning = because ?? (risk === "LOW" ? "" : prose(reasonOfRisk(triage, voice.plan), 400));
  const flags = triage.security_flags.slice(0, MANY).map((flag) => prose(flag, 150));
  const name = (key: PhraseKey<"plan">) => `**${voice.plan(key)}:**`;
  return [
    `${name("risk")} ${voice.plan(`risk_${risk}`)}${reasoning === "" ? "" : ` — ${reasoning}`}`,
    flags.length > 0 && `${name("flags")} ${inRow(flags, ROOM.flags, triage.security_flags.length)}`,
    look !== null && `${name("look")} ${look}`,
    draft && voice.say("draft"),
  ]
    .filter((line) => typeof line === "string")
    .join("  \n");
}

export function assumed({ assumptions }: RequestFacts, voice: Voice): string {
  if (assumptions.length === 0) return "";
  const made = assumptions.slice(0, MANY).map((text) => `- ${prose(text, 300)}`);
  const title = `**${voice.plan("assumptions")}:**`;
  return [title, "", ...lines(made, ROOM.assumptions, assumptions.length, voice)].join("\n");
}

/** The agent's changes that Relay reverted. */
export function keptOut({ undone }: RequestFacts, voice: Voice): string {
  const all = undoneLines(undone, voice.say);
  if (all.length === 0) return "";
  return [`**${voice.say("undone")}:**`, "", ...lines(all.slice(0, MANY), ROOM.undone, all.length, voice)].join("\n");
}

export function links({ issue, spec, planned }: RequestFacts, voice: Voice): string {
  const version = voice.plan("version", { number: planned.version, hash: planned.sha256.slice(0, 7) });
  return [
    `**${voice.say("issue")}:** ${issue.url === null ? `#${issue.number}` : codeLink(`#${issue.number}`, issue.url, 300)}`,
    spec && `**${voice.plan("spec")}:** ${codeLink(spec.sha256.slice(0, 7), spec.url, 200)}`,
    `_${version}_`,
  ]
    .filter((part) => typeof part === "string")
    .join(" · ");
}

function isDeletion({ change }: ChangedFile): boolean {
  return change === "deleted";
}

/** As many rows as fit, and the number of those left out. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { room, total }: { room: number; total: number },
  { say }: Voice,
): string[] {
  const made = rows.map((row) => `| ${row.join(" | ")} |`);
  let length = 0;
  const kept = made.filter((line) => {
    length += line.length + 1;
    return length <= room;
  });
  const missing = total - kept.length;
  const more = missing > 0 ? ["", `_${say("more", { number: missing })}_`] : [];
  return [`| ${head.join(" | ")} |`, `| ${head.map(() => "---").join(" | ")} |`, ...kept, ...more];
}

/** A `|` ends a table cell even inside code. */
export function cell(text: string): string {
  return text.replaceAll(/\\?\|/g, "\\|");
}
