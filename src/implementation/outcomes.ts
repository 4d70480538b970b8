import { phrases } from "../i18n/phrases.ts";
import { issueName } from "../domain/issue.ts";
import type { CheckResult, RunStatus } from "../domain/work.ts";
import type { Task } from "../domain/plan.ts";
import { record } from "../storage/audit.ts";
import { addGap } from "../storage/gaps.ts";
import { finishRun } from "../storage/runs.ts";
import { isTaskActive, moveTask } from "../storage/tasks.ts";
import { postOnce } from "../notify/post-once.ts";
import type { LoopResult } from "./run/work-order.ts";
import { gapEvidenceOf, openQuestion, stuckKey } from "./stuck-answers.ts";
import type { Claim } from "./claim.ts";
import type { WorkerDeps } from "./worker.ts";

type Bad = Exclude<LoopResult, { kind: "done" }>;

/** Whether the task still stands, also by what the tracker shows of its issue now (R-LIFE-10). */
export async function isWanted({ issue, task }: Claim, deps: WorkerDeps): Promise<boolean> {
  await deps.look(issue.id);
  return await isTaskActive(deps.db, task.id);
}

/** How a run without changes ends: for the task, for the issue, and in words for people. */
interface Ending {
  run: Exclude<RunStatus, "running">;
  task: Task["status"];
  event: "run_stuck" | "run_failed" | "run_unneeded";
  why: string;
}

/**
 * Ends a run without changes: posts one comment (what is missing, which hosts were `refused`) and waits for an answer
 * (R-WORK-4). Posts the comment first: after a crash it is found again, so nothing is posted twice.
 */
export async function endWithout(
  found: Claim,
  result: Bad,
  deps: WorkerDeps,
  refused: readonly string[] = [],
): Promise<void> {
  if (result.kind === "stopped") return await close(found, { run: "cancelled", why: "the task was taken back" }, deps);
  const missed = result.kind === "question" ? [] : refused.slice(0, MOST_HOSTS);
  const { language } = found.issue;
  const question = result.kind === "question" ? result.question : null;
  // The question is already in the thread, unanswered.
  const asked = question !== null && (await openQuestion(found.issue.id, question, deps)) !== null;
  if (!asked) {
    const words = paragraphs(wordsFor(result, language), networkWords(missed, language));
    const notice = { key: stuckKey(found.run), words, why: result.kind };
    await postOnce(found.issue, notice, { ...deps, tracker: found.tracker });
  }
  const unusable = result.kind === "unusable";
  const why = [unusable ? result.detail : whyOf(result), ...networkReason(missed)].join("; ");
  const ending: Ending = unusable
    ? { run: "failed", task: "failed", event: "run_failed", why }
    : { run: "stuck", task: "stuck", event: "run_stuck", why };
  await close(found, ending, deps, asked ? null : question);
}

/** Ends a run that leaves the pull request unchanged: its issue returns to review. */
export async function endInReview(
  found: Claim,
  { run, why }: { run: "done" | "failed"; why: string },
  deps: WorkerDeps,
): Promise<void> {
  await close(found, { run, task: "done", event: "run_unneeded", why }, deps);
}

/** Ends a run that failed for a reason that a retry cannot fix. */
export async function endBadly(found: Claim, error: string, deps: WorkerDeps): Promise<void> {
  // A person cancelled the task, so its outcome needs no comment.
  if (!(await isTaskActive(deps.db, found.task.id))) return await endWithout(found, { kind: "stopped" }, deps);
  const say = phrases("work", found.issue.language);
  const notice = { key: stuckKey(found.run), words: say("failed"), why: error };
  await postOnce(found.issue, notice, { ...deps, tracker: found.tracker });
  await close(found, { run: "failed", task: "failed", event: "run_failed", why: error }, deps);
}

async function close(
  { issue, task, run }: Claim,
  { run: status, task: next, event, why }: Pick<Ending, "run" | "why"> & Partial<Ending>,
  deps: WorkerDeps,
  question: string | null = null,
): Promise<void> {
  const { db } = deps;
  await deps.withIssueLock(issueName(issue), async () => {
    await db.transaction(async (tx) => {
      await finishRun(tx, run.id, { status, detail: why }, deps.clock);
      const after = { run: run.id, status };
      await record(tx, { issueId: issue.id, actor: "relay", what: "run.ended", why, after }, deps);
      // If the issue was closed, paused or stopped meanwhile, it stays so.
      if (next === undefined || event === undefined || !(await isTaskActive(tx, task.id))) return;
      await moveTask(tx, task.id, "running", next, deps.clock);
      if (question !== null) await addGap(tx, issue.id, gapOf(question, run.id), deps);
      await deps.transition(tx, issue.id, event, { why });
    });
    await deps.syncLabels(issue.id);
  });
}

/** The agent's question as a gap of the issue, so that it is counted, listed and closed like the others (R-WORK-4). */
function gapOf(question: string, runId: string) {
  return {
    question,
    evidence: gapEvidenceOf(runId),
    severity: "blocking" as const,
    respondent: "assignee" as const,
    topic: null,
    proposedDefault: null,
    pending: false,
  };
}

function wordsFor(result: Exclude<Bad, { kind: "stopped" }>, language: string): string {
  const say = phrases("work", language);
  switch (result.kind) {
    case "question":
      return `${say("question")}\n\n${quoted(result.question)}\n\n${say("answer")}`;
    case "unusable":
      return say("unusable");
    case "setup failed":
      return paragraphs(say("setup"), shownOf(result.check), say("nothing_opened"));
    case "no progress":
      return paragraphs(say("no_progress"), failing(result.checks, language), say("nothing_opened"));
    case "limit":
      return paragraphs(say(`limit_${result.limit}`), failing(result.checks, language), say("nothing_opened"));
    default:
      return result satisfies never;
  }
}

function whyOf(result: Exclude<Bad, { kind: "stopped" | "unusable" }>): string {
  if (result.kind === "question") {
    return `the agent asks: ${result.question.replaceAll(/\s+/g, " ").slice(0, LONGEST_QUESTION).toWellFormed()}`;
  }
  if (result.kind === "setup failed") return `the set-up command ${result.check.command} does not pass`;
  const red = result.checks.filter(isRed).map(({ command }) => command);
  const still = red.length === 0 ? "" : `; still red: ${red.slice(0, MOST_SHOWN).join(", ")}`;
  return `${result.kind === "limit" ? passed(result.limit) : result.detail}${still}`;
}

function passed(limit: string): string {
  return `the limit of ${limit} is reached (work.${limit === "money" ? "usd" : limit})`;
}

function isRed({ outcome }: CheckResult): boolean {
  return outcome === "failed" || outcome === "timeout";
}

const MOST_HOSTS = 5;
/** Limit where a reason takes one line. */
const LONGEST_QUESTION = 500;

/** Lists for the issue's readers which hosts the repository's programs tried to reach, and who can allow them. */
function networkWords(hosts: readonly string[], language: string): string {
  if (hosts.length === 0) return "";
  return phrases("work", language)("network", { hosts: hosts.map((host) => `\`${host}\``).join(", ") });
}

/** For the operator. */
function networkReason(hosts: readonly string[]): string[] {
  return hosts.length === 0 ? [] : [`nothing is let through to ${hosts.join(", ")}: work.network allows hosts`];
}

const MOST_SHOWN = 3;
const LONGEST_OUTPUT = 1_500;

/** What fails, command by command, with the end of its output. */
function failing(checks: readonly CheckResult[], language: string): string {
  const red = checks.filter(isRed);
  if (red.length === 0) return "";
  const say = phrases("work", language);
  return paragraphs(say("failing"), ...red.slice(0, MOST_SHOWN).map(shownOf));
}

function shownOf({ command, output }: CheckResult): string {
  const fence = "`".repeat(Math.max(3, ...[...output.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return `\`${command.replaceAll("`", "'")}\`\n\n${fence}\n${output.slice(-LONGEST_OUTPUT)}\n${fence}`;
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

function paragraphs(...all: string[]): string {
  return all.filter((one) => one !== "").join("\n\n");
}
