import { code, codeLink, inRow, prose, within } from "../domain/text/comment-markdown.ts";
import { neutralTitle } from "../domain/confidential.ts";
import type { Mode } from "../domain/issue.ts";
import { type PhraseKey, type Translate, phrases } from "../i18n/phrases.ts";
import type { FileChange, FixPlan, TriageResult } from "../domain/plan.ts";
import { reasonToLook } from "../notify/review-reason.ts";

export interface PlanCommentFacts {
  plan: FixPlan;
  triage: TriageResult;
  /** From 1. */
  version: number;
  sha256: string;
  /** The spec that the plan is based on; without a URL if the tracker cannot show it. */
  spec: { path: string; url: string | null } | null;
  /** Assumptions made in place of answers. */
  assumptions: readonly string[];
  mode: Mode;
  /** Whether a 👍 on this comment approves the plan (R-CONF-2). */
  thumbsUp: boolean;
  /** Of the issue; English if Relay does not support it (R-PLAN-10). */
  language: string;
  /** The issue is confidential and its repository is not: this says what the repository will show (R-SAFE-11). */
  neutral: boolean;
  madeByRules: boolean;
  /** The spec's summary, if people first see the spec in this comment; null otherwise. */
  together: readonly string[] | null;
}

type Say = Translate<"plan">;

/** Character limits of each list; with 7,500 for files and the rest, the comment stays below 20,000. */
const ROOM = { inShort: 1_200, steps: 4_900, assumptions: 1_500, checks: 800, flags: 500 };

/** More entries are not even rendered: they could not be shown. */
const MANY = 100;

/**
 * A fix plan as people read and approve it (R-CONF-1): the changes and their places, the checks, the risk and the
 * reason for a human check, the assumptions, and how to approve. At most 20,000 characters of Markdown that
 * `safeComment` leaves unchanged, whatever the plan contains; cuts and omissions are marked.
 */
export function planComment(facts: PlanCommentFacts): string {
  const say = phrases("plan", facts.language);
  return [
    headline(facts.plan, say),
    specInShort(facts.together, say),
    stepList(facts.plan, say),
    fileList(facts.plan.file_changes, say),
    summary(facts, say),
    assumptionList(facts.assumptions, say),
    facts.neutral ? whatIsPublic(facts.plan, say) : "",
    howToConfirm(facts, say),
    footer(facts, say),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** One sentence that summarizes the change. */
function headline({ file_changes: files, plan_steps: steps }: FixPlan, say: Say): string {
  const [first] = files;
  if (!first) return say("will_steps", { text: prose(steps[0]?.description ?? "", 300) });
  const slots = { path: code(first.path, 200), text: prose(first.change_summary, 300), number: files.length };
  return say(files.length === 1 ? `will_${first.operation}` : "will_several", slots);
}

function specInShort(lines: readonly string[] | null, say: Say): string {
  if (lines === null || lines.length === 0) return "";
  const bullets = lines.slice(0, MANY).map((text) => `- ${prose(text, 300)}`);
  const shown = within(bullets, { most: ROOM.inShort, total: lines.length, mark: bullet(say) });
  return [title("in_short", say), "", ...shown].join("\n");
}

function stepList({ plan_steps: steps }: FixPlan, say: Say): string {
  const lines = steps.map(({ description, command }, index) => {
    const run = command === null || command.trim() === "" ? "" : ` (${code(command, 100)})`;
    return `${index + 1}. ${prose(description, 350)}${run}`;
  });
  return [title("steps", say), "", ...within(lines, { most: ROOM.steps, total: steps.length, mark: bullet(say) })].join(
    "\n",
  );
}

/** What a reviewer checks first, one line each. */
function summary({ plan, triage, spec, mode }: PlanCommentFacts, say: Say): string {
  const checks = plan.validation_commands.slice(0, MANY).map((command) => code(command, 150));
  const flags = triage.security_flags.slice(0, MANY).map((flag) => prose(flag, 150));
  const look = reasonToLook(plan, triage, say);
  const reasoning = prose(triage.reasoning, 400);
  const draft = mode === "implement" ? ` ${say("draft")}` : "";
  return [
    checks.length > 0 && `${title("checks", say)} ${inRow(checks, ROOM.checks, plan.validation_commands.length)}`,
    `${title("risk", say)} ${say(`risk_${triage.risk}`)}${reasoning === "" ? "" : ` — ${reasoning}`}`,
    flags.length > 0 && `${title("flags", say)} ${inRow(flags, ROOM.flags, triage.security_flags.length)}`,
    look !== null && `${title("look", say)} ${look}${draft}`,
    `${title("time", say)} ${say("minutes", { number: plan.estimated_duration })}`,
    `${title("branch", say)} ${code(plan.branch_name, 100)}`,
    spec && `${title("spec", say)} ${codeLink(spec.path, spec.url, 200)}`,
  ]
    .filter((line) => typeof line === "string")
    .join("  \n");
}

function assumptionList(assumptions: readonly string[], say: Say): string {
  if (assumptions.length === 0) return "";
  const lines = assumptions.slice(0, MANY).map((text) => `- ${prose(text, 250)}`);
  const shown = within(lines, { most: ROOM.assumptions, total: assumptions.length, mark: bullet(say) });
  return [title("assumptions", say), "", ...shown].join("\n");
}

function whatIsPublic({ branch_name: branch, issue_number: number }: FixPlan, say: Say): string {
  return `**${say("confidential")}** ${say("public", { branch: code(branch, 100), title: code(neutralTitle(number), 100) })}`;
}

/** One line: how to answer, whose answer counts, and what happens next (R-CONF-2, R-CONF-3). */
function howToConfirm({ triage, mode, thumbsUp, together }: PlanCommentFacts, say: Say): string {
  const who = triage.risk === "HIGH" ? "who_maintain" : mode === "plan" ? "who_reporter" : "who_write";
  return [
    title("confirm", say),
    say(thumbsUp ? "confirm_reaction" : "confirm_reply"),
    say(who),
    ...(together === null ? [] : [say("together")]),
    say(mode === "implement" ? "then_implement" : "then_plan"),
    say("otherwise"),
  ].join(" ");
}

function footer({ version, sha256, language, madeByRules }: PlanCommentFacts, say: Say): string {
  const name = say("version", { number: version, hash: sha256.slice(0, 7) });
  return `_${madeByRules ? `${name} · ${phrases("thread", language)("draftedWithoutModel")}` : name}_`;
}

function title(key: PhraseKey<"plan">, say: Say): string {
  return `**${say(key)}:**`;
}

function bullet(say: Say): (missing: number) => string {
  return (number) => `- ${say("left_out", { number })}`;
}

/** Files shown directly; if there are more, the rest is folded. */
const UNFOLDED = 15;
/** Character limits of the files shown and of those folded. */
const FILE_ROOM = { shown: 4_000, folded: 3_500 };

/**
 * The files that a plan changes, each with the operation, the place and the reason; a single file has no reason, as the
 * plan's first line states it. In long lists deletions come first, so that the fold does not hide them.
 */
function fileList(files: readonly FileChange[], say: Say): string {
  if (files.length === 0) return "";
  const heading = title("files", say);
  const line = (file: FileChange) => fileLine(file, files.length > 1, say);
  if (files.length <= UNFOLDED) return [heading, "", ...fitting(files, FILE_ROOM.shown, line, say)].join("\n");
  const ordered = files.toSorted((a, b) => weight(a) - weight(b));
  return [
    `${heading} ${countsOf(files, say)}`,
    "",
    ...fitting(ordered.slice(0, UNFOLDED), FILE_ROOM.shown, line, say),
    "",
    "<details>",
    `<summary>${say("folded", { number: files.length - UNFOLDED })}</summary>`,
    "",
    ...fitting(ordered.slice(UNFOLDED), FILE_ROOM.folded, line, say),
    "",
    "</details>",
  ].join("\n");
}

/** As many lines as fit, and the number of those omitted. */
function fitting(files: readonly FileChange[], room: number, line: (file: FileChange) => string, say: Say): string[] {
  // No line is shorter than ten characters.
  const mark = (number: number) => `- ${say("left_out", { number })}`;
  return within(files.slice(0, room / 10).map(line), { most: room, total: files.length, mark });
}

function weight({ operation }: FileChange): number {
  return operation === "DELETE" ? 0 : 1;
}

function fileLine({ path, operation, line_range: range, change_summary }: FileChange, why: boolean, say: Say): string {
  const [from, to] = range ?? [null, null];
  const where = from === null ? "" : `, ${from === to ? say("line", { from }) : say("lines", { from, to })}`;
  return `- ${code(path, 200)} (${say(`op_${operation}`)}${where})${why ? `: ${prose(change_summary, 250)}` : ""}`;
}

function countsOf(files: readonly FileChange[], say: Say): string {
  return (["MODIFY", "CREATE", "DELETE"] as const)
    .map((operation) => ({ operation, number: files.filter((file) => file.operation === operation).length }))
    .filter(({ number }) => number > 0)
    .map(({ operation, number }) => `${say(`op_${operation}`)} ${number}`)
    .join(", ");
}
