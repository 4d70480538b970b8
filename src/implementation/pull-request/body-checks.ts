import type { ChangedTest } from "../../code/tests/changed-tests.ts";
import { code, inRow } from "../../domain/text/comment-markdown.ts";
import { keptCode } from "../../domain/text/clean-text.ts";
import { type CheckResult, isRed } from "../../domain/work.ts";
import type { PhraseKey } from "../../i18n/phrases.ts";
import { oneLine } from "../../lib/text.ts";
import { failingLines } from "../run/relevant-output.ts";
import { isTrusted } from "../run/test-results.ts";
import type { RequestFacts } from "./body-facts.ts";
import { MANY, type Voice, cell, table } from "./body-sections.ts";

/** Characters of each. */
const ROOM = { checks: 4_000, names: 1_500, output: 1_500 };
/** Failed commands whose output is shown. */
const OUTPUTS = 3;

/**
 * Each command with its result and number of tests, compared with before the change; then, by name, tests that fail,
 * and tests that prove the change; then the output of failed commands.
 */
export function checkTable(facts: RequestFacts, proving: readonly ChangedTest[], voice: Voice): string {
  const { failedBefore, scan } = facts;
  const checks = scan === null ? facts.checks : [...facts.checks, scan];
  const before = new Set(failedBefore);
  if (checks.length === 0) return [`## ${voice.plan("checks")}`, "", voice.say("no_checks")].join("\n");
  const rows = checks
    .slice(0, MANY)
    .map((check) => [
      cell(code(check.command, 200)),
      [
        voice.say(resultOf(check, before.has(check.command), facts)),
        ...(check === scan && isRed(check) && check.code !== null
          ? [voice.say("exit_code", { code: check.code })]
          : []),
        ...countsOf(check, facts, voice),
      ].join("; "),
    ]);
  const failed = checks.filter((check) => isRed(check) && !before.has(check.command) && check.output.trim() !== "");
  const named = [...testNames(facts, voice), ...provingNames(proving, voice)];
  return [
    `## ${voice.plan("checks")}`,
    "",
    ...table([voice.say("command"), voice.say("result")], rows, { room: ROOM.checks, total: checks.length }, voice),
    ...(named.length > 0 ? ["", named.join("  \n")] : []),
    ...failed.slice(0, OUTPUTS).flatMap((check) => ["", ...outputOf(check, voice)]),
  ].join("\n");
}

/** `tests: 143 → 145; failing: 1 → 1` */
function countsOf(check: CheckResult, { before }: RequestFacts, { say }: Voice): string[] {
  const { tests } = check;
  if (tests === undefined) return [];
  const earlier = earlierOf(check, before)?.tests;
  // Untrusted counts are left out; a concern says what is wrong with them.
  if (!isTrusted(tests, earlier)) return [];
  const [skipped = 0, skippedThen] = [tests.skipped, earlier?.skipped];
  const isRedEver = tests.failed > 0 || (earlier?.failed ?? 0) > 0;
  return [
    ...(tests.total === null ? [] : [say("tests_counted", { number: moved(tests.total, earlier?.total) })]),
    ...(skipped > 0 || (skippedThen ?? 0) > 0 ? [say("tests_skipped", { number: moved(skipped, skippedThen) })] : []),
    ...(isRedEver ? [say("tests_failing", { number: moved(tests.failed, earlier?.failed) })] : []),
  ];
}

function moved(now: number, then: number | null | undefined): string {
  return then === undefined || then === null || then === now ? `${now}` : `${then} → ${now}`;
}

function redIn(checks: readonly CheckResult[]): Set<string> {
  return new Set(checks.flatMap(({ tests }) => tests?.red ?? []));
}

function earlierOf({ kind, command }: CheckResult, before: readonly CheckResult[]): CheckResult | undefined {
  return before.find((one) => one.kind === kind && one.command === command);
}

/** Tests that newly fail, that still fail, and that no longer fail. */
function testNames({ checks, before }: RequestFacts, voice: Voice): string[] {
  const [now, then] = [redIn(checks), redIn(before)];
  if (!before.some(({ tests }) => tests !== undefined)) return [];
  return [
    ...namedTests(
      "red_now",
      [...now].filter((name) => !then.has(name)),
      voice,
    ),
    ...namedTests(
      "red_both",
      [...now].filter((name) => then.has(name)),
      voice,
    ),
    ...namedTests(
      "red_before",
      [...then].filter((name) => !now.has(name)),
      voice,
    ),
  ];
}

function provingNames(proving: readonly ChangedTest[], voice: Voice): string[] {
  return namedTests("proving", [...new Set(proving.map(({ name }) => name))], voice);
}

function namedTests(key: PhraseKey<"request">, names: readonly string[], { say }: Voice): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, MANY).map((name) => code(name, 150));
  return [`**${say(key)}:** ${inRow(shown, ROOM.names, names.length)}`];
}

const RESULT = { passed: "passed", failed: "failed", timeout: "timeout", "not run": "not_run" } as const;

function resultOf(check: CheckResult, failedBefore: boolean, { before }: RequestFacts): PhraseKey<"request"> {
  const { outcome } = check;
  if (outcome === "passed" && earlierOf(check, before)?.outcome === "failed") return "fixed";
  return failedBefore && outcome === "failed" ? "failed_before" : RESULT[outcome];
}

/** The lines of a failed command's output that say what failed, folded. */
function outputOf({ command, output }: CheckResult, { say }: Voice): string[] {
  const text = failingLines(keptCode(output.slice(0, 4 * ROOM.output)), ROOM.output)
    .replaceAll(/[^\P{Cc}\n\t]/gu, "")
    .replaceAll("<!--", "< !--")
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

/** HTML renders no Markdown, and mentions in code notify no one. */
function inHtml(command: string): string {
  const line = oneLine(keptCode(command.slice(0, 120)).toWellFormed());
  const shown = line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<code>${shown}</code>`;
}
