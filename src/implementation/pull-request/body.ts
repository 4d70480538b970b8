import { cut, cutAtWord, oneLine } from "../../lib/text.ts";
import { withoutClosing, withoutClosingNumbers, withoutSkips } from "../../domain/text/closing-keywords.ts";
import { neutralTitle } from "../../domain/confidential.ts";
import { requestMarker } from "../../domain/marker.ts";
import { safeComment } from "../../domain/text/comment-sanitizer.ts";
import type { RequestFacts, RequestText } from "./body-facts.ts";
import {
  type Voice,
  assumed,
  changedFiles,
  heading,
  howToVerify,
  keptOut,
  links,
  riskLines,
  voiceOf,
  whatChanged,
  why,
} from "./body-sections.ts";
import { type Coverage, scenarioCoverage } from "./scenario-coverage.ts";
import { code, prose } from "../../domain/text/comment-markdown.ts";
import { keptCode, keptText } from "../../domain/text/clean-text.ts";
import type { PhraseKey } from "../../i18n/phrases.ts";
import type { ChangedFile, CheckResult } from "../../domain/work.ts";
import type { Classification } from "../../domain/plan.ts";

/** In characters; the sections together stay below it. */
const LONGEST_BODY = 60_000;
const MOST_LABELS = 10;
const LONGEST_LABEL = 50;
const NOBODY = { participants: [], bot: "" };

/**
 * The text of a task's pull request (R-WORK-7), in the issue's language: the change and its reasons, how to verify it,
 * check results, risk, assumptions, rejected changes, and where each scenario of the spec is covered. Sanitized: it
 * mentions no one, contains no secret, and closes only its own issue. A draft if a person must review first.
 */
export function requestText(facts: RequestFacts): RequestText {
  const voice = voiceOf(facts.issue.language);
  if (facts.neutral) return neutralText(facts, voice);
  const draft = facts.plan.human_check_reason !== null || facts.triage.risk === "HIGH";
  const coverage = facts.spec ? scenarioCoverage(facts.spec.text, facts.patch) : [];
  const sections = [
    whatChanged(facts, voice),
    why(facts, coverage, voice),
    changedFiles(facts, voice),
    howToVerify(facts, voice),
    checkTable(facts, voice),
    riskLines(facts, draft, voice),
    assumed(facts, voice),
    keptOut(facts, voice),
    coverageTable(coverage, voice),
    links(facts, voice),
  ];
  return {
    title: requestTitle(facts.triage.classification, facts.issue, facts.changes),
    body: bodyOf(sections, facts),
    draft,
    labels: labelsOf(facts),
  };
}

/** Of a confidential issue: what the commits show anyway, in no words of the issue, the plan, the spec or the agent. */
function neutralText(facts: RequestFacts, voice: Voice): RequestText {
  const changed = changedFiles({ ...facts, plan: { ...facts.plan, file_changes: [] } }, voice);
  const checks = checkTable({ ...facts, checks: facts.checks.map((check) => ({ ...check, output: "" })) }, voice);
  return {
    title: neutralTitle(facts.issue.number),
    body: bodyOf([changed, checks], facts),
    draft: facts.plan.human_check_reason !== null || facts.triage.risk === "HIGH",
    labels: [],
  };
}

function bodyOf(sections: readonly string[], { issue, taskId }: RequestFacts): string {
  const content = sections.filter((section) => section !== "").join("\n\n");
  const end = `\n\nCloses #${issue.number}\n\n${requestMarker(taskId)}`;
  return `${cutAtLine(withoutSkips(withoutClosing(safeComment(content, NOBODY).text)), LONGEST_BODY - end.length)}${end}`;
}

/** Cuts an unexpectedly long text at the end of a line. */
function cutAtLine(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = text.slice(0, most - 100);
  return safeComment(`${start.slice(0, start.lastIndexOf("\n"))}\n\n…`, NOBODY).text;
}

function labelsOf({ triage }: RequestFacts): string[] {
  return [...new Set(triage.suggested_labels.map((label) => label.trim()))]
    .filter((label) => label !== "" && label.length <= LONGEST_LABEL && !/[\p{Cc},]/u.test(label))
    .slice(0, MOST_LABELS);
}

/** Characters of each. */
const ROOM = { checks: 4_000, output: 1_500, coverage: 10_000 };
/** Failed commands whose output is shown. */
const OUTPUTS = 3;
const MANY = 300;

/** Each command with its result, compared to the baseline; then the output of failed commands. */
function checkTable({ checks, failedBefore }: RequestFacts, voice: Voice): string {
  const before = new Set(failedBefore);
  if (checks.length === 0) return [`## ${voice.plan("checks")}`, "", voice.say("no_checks")].join("\n");
  const rows = checks
    .slice(0, MANY)
    .map((check) => [cell(code(check.command, 200)), voice.say(resultOf(check, before.has(check.command)))]);
  const failed = checks.filter((check) => isRed(check) && !before.has(check.command) && check.output.trim() !== "");
  return [
    `## ${voice.plan("checks")}`,
    "",
    ...table([voice.say("command"), voice.say("result")], rows, { room: ROOM.checks, total: checks.length }, voice),
    ...failed.slice(0, OUTPUTS).flatMap((check) => ["", ...outputOf(check, voice)]),
  ].join("\n");
}

/** Each scenario with the test or file that covers it, if any. */
function coverageTable(coverage: readonly Coverage[], voice: Voice): string {
  if (coverage.length === 0) return "";
  const rows = coverage
    .slice(0, MANY)
    .map(({ scenario, by }) => [
      cell(prose(scenario, 200)),
      by === null ? voice.say("none_found") : foundIn(by, voice),
    ]);
  return [
    heading("coverage", voice),
    "",
    ...table(
      [voice.say("scenario"), voice.say("found_in")],
      rows,
      { room: ROOM.coverage, total: coverage.length },
      voice,
    ),
    "",
    `_${voice.say("coverage_note")}_`,
  ].join("\n");
}

function foundIn(by: NonNullable<Coverage["by"]>, { say }: Voice): string {
  const path = code(by.path, 200);
  return cell(by.kind === "test" ? say("in_test", { name: code(by.name, 150), path }) : say("in_change", { path }));
}

const RESULT = { passed: "passed", failed: "failed", timeout: "timeout", "not run": "not_run" } as const;

function resultOf({ outcome }: CheckResult, failedBefore: boolean): PhraseKey<"request"> {
  if (failedBefore && outcome === "passed") return "fixed";
  return failedBefore && outcome === "failed" ? "failed_before" : RESULT[outcome];
}

function isRed({ outcome }: CheckResult): boolean {
  return outcome === "failed" || outcome === "timeout";
}

/** The end of a failed command's output, folded. */
function outputOf({ command, output }: CheckResult, { say }: Voice): string[] {
  const text = keptCode(output.slice(-4 * ROOM.output))
    .replaceAll(/[^\P{Cc}\n\t]/gu, "")
    .replaceAll("<!--", "< !--")
    .slice(-ROOM.output)
    .replace(/^[\udc00-\udfff]/, "")
    .trim();
  const fence = "`".repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map((run) => run.length + 1)));
  return [
    "<details>",
    `<summary>${say("output", { command: inHtml(command) })}</summary>`,
    "",
    fence,
    text,
    fence,
    "",
    "</details>",
  ];
}

/** Inside HTML, Markdown is not rendered, and mentions in code notify no one. */
function inHtml(command: string): string {
  const line = oneLine(keptCode(command.slice(0, 120)).toWellFormed());
  const shown = line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<code>${shown}</code>`;
}

/** As many rows as fit, and the number of those left out. */
function table(
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

/** A bar ends a table cell even inside code. */
function cell(text: string): string {
  return text.replaceAll(/\\?\|/g, "\\|");
}

const TYPE: Record<Classification, string> = {
  BUG: "fix",
  FEATURE: "feat",
  DOCS: "docs",
  CHORE: "chore",
  OTHER: "fix",
};
const LONGEST_TITLE = 100;

/** Prefixes of titles: `[Bug]`, `Feature request:`, `fix(ui):`, `WIP:`. */
const PREFIX =
  /^(?:\[[^\]]{1,30}\]|\((?:draft|wip)\)|(?:bug(?: report)?|feature(?: request)?|docs?|chore|task|issue|fix|feat|refactor|perf|draft|wip)(?:\([^)]{1,30}\))?!?:)\s{0,20}/i;

/**
 * A title in the form of Conventional Commits: the type in English, then the issue's own title, or the files if it has
 * none. It closes no issue, mentions no one, and does not turn the request into a draft.
 */
export function requestTitle(
  classification: Classification,
  issue: { title: string; language: string },
  changes: readonly ChangedFile[],
): string {
  // Twice: `[Bug] ui: …`.
  const bare = plainLine(issue.title)
    .replace(PREFIX, "")
    .replace(PREFIX, "")
    .replace(/[.。\s]+$/, "");
  const named = issue.language === "en" ? withSmallStart(bare) : bare;
  const quiet = withoutClosing(bare === "" ? plainLine(filesOf(changes)) : named).replaceAll(
    /(?<![\p{L}\p{N}`])@([\w-]+(?:\/[\w.-]+)*)/gu,
    "`@$1`",
  );
  // The type itself can be a closing keyword.
  return cutAtWord(withoutSkips(withoutClosingNumbers(`${TYPE[classification]}: ${quiet}`)), LONGEST_TITLE);
}

function plainLine(text: string): string {
  return oneLine(keptText(cut(text, 1_000, "")).toWellFormed());
}

function filesOf(changes: readonly ChangedFile[]): string {
  const [first] = changes;
  if (!first) return "change nothing";
  return changes.length === 1 ? `change ${first.path}` : `change ${first.path} and ${changes.length - 1} more`;
}

/** Keeps the capitals of abbreviations, and of nouns in other languages. */
function withSmallStart(text: string): string {
  return /^\p{Lu}\p{Ll}*(?=\s)/u.test(text) && !/^I\s/.test(text)
    ? text.slice(0, 1).toLowerCase() + text.slice(1)
    : text;
}
