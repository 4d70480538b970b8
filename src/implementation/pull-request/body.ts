import { cut, cutAtWord, oneLine } from "../../lib/text.ts";
import { withoutClosing, withoutClosingNumbers, withoutSkips } from "../../domain/text/closing-keywords.ts";
import { neutralTitle } from "../../domain/confidential.ts";
import { requestMarker } from "../../domain/marker.ts";
import { addressesAsWords, originsOf } from "../../domain/text/outgoing-links.ts";
import { safeComment } from "../../domain/text/comment-sanitizer.ts";
import { LONGEST_SUBJECT, type Topic, topicOf } from "../subject.ts";
import { isAmongRed } from "../run/test-results.ts";
import { mayForge, needsPerson, riskOf } from "../../domain/concern.ts";
import { concernWords } from "../../notify/concern-words.ts";
import { checkTable } from "./body-checks.ts";
import { dependencyList } from "./body-dependencies.ts";
import type { RequestFacts, RequestText } from "./body-facts.ts";
import {
  MANY,
  type Voice,
  assumed,
  cell,
  heading,
  howToVerify,
  keptOut,
  links,
  lookFirst,
  riskLines,
  table,
  voiceOf,
  whatChanged,
  why,
} from "./body-sections.ts";
import { type Coverage, scenarioCoverage } from "./scenario-coverage.ts";
import { code, prose } from "../../domain/text/comment-markdown.ts";
import { SECRET_REMOVED } from "../../domain/text/secrets/remove-secrets.ts";
import { keptCode, keptText } from "../../domain/text/clean-text.ts";
import type { ChangedFile, CheckResult } from "../../domain/work.ts";
import type { Classification } from "../../domain/plan.ts";
import { phrases } from "../../i18n/phrases.ts";

/** In characters; all sections together must stay below it. */
const LONGEST_BODY = 60_000;
const MOST_LABELS = 10;
const LONGEST_LABEL = 50;
const NOBODY = { participants: [], bot: "" };

/**
 * The text of a task's pull request (R-WORK-7), in the issue's language: what a person should look at first
 * (R-WORK-11), the change and its reasons, how to verify it, check results, risk, assumptions, rejected changes, and
 * which tests cover the scenarios of the spec. Sanitized: it mentions no one, contains no secret, and closes only its
 * own issue. A draft if a person must review first.
 */
export function requestText(given: RequestFacts): RequestText {
  const facts = mayForge(given.concerns) ? withoutNumbers(given) : given;
  const voice = voiceOf(facts.issue);
  if (facts.neutral) return neutralText(facts, voice);
  const { risk, because } = riskOf(facts.triage.risk, facts.concerns);
  const draft = isDraft(facts);
  const proving = facts.tests.filter((one) => one.kind !== "removed" && isAmongRed(facts.proving, one));
  const sections = [
    lookFirst(facts, voice),
    whatChanged(facts, voice),
    dependencyList(facts, voice),
    why(facts, voice),
    howToVerify(facts, voice),
    checkTable(facts, proving, voice),
    riskLines(
      facts,
      { risk, because: because && concernWords(because, facts.issue.language), draft: draft && facts.mayBeDraft },
      voice,
    ),
    assumed(facts, voice),
    keptOut(facts, voice),
    coverageTable(facts.spec ? scenarioCoverage(facts.spec.text, proving) : [], facts.issue.language, voice),
    links(facts, voice),
  ];
  return {
    title: requestTitle(facts.triage.classification, { ...facts.issue, spec: facts.spec?.text ?? null }, facts.changes),
    body: bodyOf(sections, facts),
    draft,
    labels: labelsOf(facts),
  };
}

/** Without test counts and names, for tests that cannot be believed: only how their commands ended. */
function withoutNumbers(facts: RequestFacts): RequestFacts {
  return { ...facts, proving: [], checks: facts.checks.map(ending), before: facts.before.map(ending) };
}

function ending(check: CheckResult): CheckResult {
  const { tests, ...ended } = check;
  return tests === undefined ? check : ended;
}

/**
 * The text for a confidential issue: only what the commits show anyway, nothing from the issue, the plan, the spec or
 * the agent.
 */
function neutralText(facts: RequestFacts, voice: Voice): RequestText {
  const silent = facts.checks.map((check) => ({ ...check, output: "" }));
  const shown = {
    ...facts,
    plan: { ...facts.plan, file_changes: [] },
    summary: null,
    symbols: [],
    tests: [],
    before: [],
  };
  const changed = whatChanged(shown, voice);
  const scan = facts.scan && { ...facts.scan, output: "" };
  const checks = checkTable({ ...shown, checks: silent, scan }, [], voice);
  const draft = isDraft(facts);
  const stays = draft && facts.mayBeDraft ? voice.say("draft") : "";
  return {
    title: neutralTitle(facts.issue.number),
    body: bodyOf([lookFirst(facts, voice), changed, dependencyList(facts, voice), checks, stays], facts),
    draft,
    labels: [],
  };
}

function isDraft({ plan, triage, concerns }: RequestFacts): boolean {
  return plan.human_check_reason !== null || triage.risk === "HIGH" || needsPerson(concerns);
}

function bodyOf(sections: readonly string[], { issue, spec, taskId, linked }: RequestFacts): string {
  const origins = originsOf([issue.url, spec?.url ?? null, ...(spec?.places.values() ?? []), ...(linked ?? [])]);
  const content = sections.filter((section) => section !== "").join("\n\n");
  const end = `\n\nCloses #${issue.number}\n\n${requestMarker(taskId)}`;
  return `${cutAtLine(withoutSkips(withoutClosing(safeComment(content, { ...NOBODY, origins }).text)), LONGEST_BODY - end.length)}${end}`;
}

/** Cuts an unexpectedly long text at the end of a line. */
function cutAtLine(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = text.slice(0, most - 100);
  return safeComment(`${start.slice(0, start.lastIndexOf("\n"))}\n\n…`, { ...NOBODY, origins: "later" }).text;
}

/** The labels of the triage; a risk label gets the risk of the finished change. */
function labelsOf({ triage, concerns }: RequestFacts): string[] {
  const { risk } = riskOf(triage.risk, concerns);
  const labels = triage.suggested_labels.map((label) => addressesAsWords(keptCode(label)).trim());
  const told = labels.map((label) =>
    /^risk:(?:low|medium|high)$/i.test(label) ? `risk:${risk.toLowerCase()}` : label,
  );
  return [...new Set(told)]
    .filter(
      (label) =>
        label !== "" && label.length <= LONGEST_LABEL && !/[\p{Cc},]/u.test(label) && !label.includes(SECRET_REMOVED),
    )
    .slice(0, MOST_LABELS);
}

const LONGEST_COVERAGE = 10_000;
const MOST_UNCOVERED = 10;

/** Each scenario with the test that covers it; then the uncovered ones, except those that existing tests check. */
function coverageTable(coverage: readonly Coverage[], language: string, voice: Voice): string {
  const covered = coverage.flatMap(({ scenario, test }) => (test === null ? [] : [{ scenario, test }]));
  const existing = phrases("spec", language)("when_existing");
  const uncovered = coverage.filter(({ scenario, test }) => test === null && !scenario.steps.includes(existing));
  if (covered.length + uncovered.length === 0) return "";
  const rows = covered.slice(0, MANY).map(({ scenario, test }) => {
    const slots = { name: code(test.name, 150), path: code(test.path, 200) };
    return [cell(prose(scenario.name, 200)), cell(voice.say("in_test", slots))];
  });
  const head = [voice.say("scenario"), voice.say("test")];
  const names = uncovered.slice(0, MOST_UNCOVERED).map(({ scenario }) => `“${prose(scenario.name, 100)}”`);
  const more =
    uncovered.length > MOST_UNCOVERED ? [voice.say("more", { number: uncovered.length - MOST_UNCOVERED })] : [];
  return [
    heading("coverage", voice),
    ...(rows.length === 0
      ? []
      : [
          "",
          ...table(head, rows, { room: LONGEST_COVERAGE, total: covered.length }, voice),
          "",
          `_${voice.say("coverage_note")}_`,
        ]),
    ...(names.length === 0 ? [] : ["", voice.say("uncovered", { text: [...names, ...more].join(", ") })]),
  ].join("\n");
}

const TYPE: Record<Classification, string> = {
  BUG: "fix",
  FEATURE: "feat",
  DOCS: "docs",
  CHORE: "chore",
  OTHER: "fix",
};

/**
 * A title in the form of Conventional Commits: the type in English, then what is built, or the changed files if nothing
 * says it. It closes no issue, mentions no one, and does not turn the request into a draft.
 */
export function requestTitle(classification: Classification, topic: Topic, changes: readonly ChangedFile[]): string {
  const named = topicOf(topic);
  const quiet = withoutClosing(addressesAsWords(named === "" ? plainLine(filesOf(changes)) : named)).replaceAll(
    /(?<![\p{L}\p{N}`])@([\w-]+(?:\/[\w.-]+)*)/gu,
    "`@$1`",
  );
  // The type itself can be a closing keyword.
  return cutAtWord(withoutSkips(withoutClosingNumbers(`${TYPE[classification]}: ${quiet}`)), LONGEST_SUBJECT);
}

function plainLine(text: string): string {
  return oneLine(keptText(cut(text, 1_000, "")).toWellFormed());
}

function filesOf(changes: readonly ChangedFile[]): string {
  const [first] = changes;
  if (!first) return "change nothing";
  return changes.length === 1 ? `change ${first.path}` : `change ${first.path} and ${changes.length - 1} more`;
}
