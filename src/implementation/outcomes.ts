import { phrases } from "../i18n/phrases.ts";
import { issueName } from "../domain/issue.ts";
import { type RunStatus, type TaskRequest, isRed } from "../domain/work.ts";
import type { Task } from "../domain/plan.ts";
import { record } from "../storage/audit.ts";
import { addGap } from "../storage/gaps.ts";
import { markFeedbackAnswered } from "../storage/review-feedback.ts";
import { finishRun, runFacts } from "../storage/runs.ts";
import { isTaskActive, moveTask } from "../storage/tasks.ts";
import { postOnce } from "../notify/post-once.ts";
import { type Bad, MOST_HOSTS, MOST_SHOWN, networkWords, paragraphs, setupHints, wordsFor } from "./ending-words.ts";
import { CHECK_PREFIX } from "./feedback.ts";
import { sayOnRequest } from "./request-posts.ts";
import { hasSameFailures } from "./run/progress.ts";
import { tellingLine } from "./run/setup-failure.ts";
import { gapEvidenceOf } from "../domain/gap.ts";
import { openQuestion, stuckKey } from "./stuck-answers.ts";
import type { Claim } from "./claim.ts";
import type { WorkerDeps } from "./worker.ts";

/** Whether the task is still active, after reading the current state of its issue from the tracker (R-LIFE-10). */
export async function isWanted({ issue, task }: Claim, deps: WorkerDeps): Promise<boolean> {
  await deps.catchUp(issue.id);
  return await isTaskActive(deps.db, task.id);
}

/** How a run without changes ends: the statuses of run and task, the issue's event, and the reason for people. */
interface Ending {
  run: Exclude<RunStatus, "running">;
  task: Task["status"];
  event: "run_stuck" | "run_failed" | "run_unneeded";
  why: string;
  /** Ids of feedback that later runs do not need to get again. */
  settled: string[];
}

/**
 * Ends a run without changes: posts one comment (what is missing, which hosts were `refused`) and waits for an answer
 * (R-WORK-4). If a request is open, the comment goes there and people answer in the review; a question always goes to
 * the issue (R-WORK-15). The comment is posted first: a retry after a crash finds it and does not post it twice.
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
  const inReview = openRequestOf(found) !== null && question === null;
  if (!asked) {
    const words = paragraphs(
      wordsFor(result, { inReview, asBefore: await isAsBefore(result, found, deps) }, found),
      networkWords(missed, language),
    );
    const notice = { key: stuckKey(found.run), words, why: result.kind };
    if (question === null) await tell(found, notice, deps);
    else await postOnce(found.issue, notice, { ...deps, tracker: found.tracker });
  }
  const unusable = result.kind === "unusable";
  const reason = [unusable ? result.detail : whyOf(result), ...networkReason(missed)].join("; ");
  const why = [reason, ...(result.kind === "setup failed" ? setupHints(result, "en") : [])].join("\n");
  if (unusable) return await close(found, { run: "failed", task: "failed", event: "run_failed", why }, deps);
  if (!inReview) {
    return await close(found, { run: "stuck", task: "stuck", event: "run_stuck", why }, deps, asked ? null : question);
  }
  const settled = found.words.map(({ externalId }) => externalId).filter((id) => id.startsWith(CHECK_PREFIX));
  await close(found, { run: "stuck", task: "done", event: "run_unneeded", why, settled }, deps);
  // Handle events on the request that arrived during the run.
  await deps.jobs.setWake(found.issue.id, 0);
}

/** The open pull request of the run's task; null without one. */
function openRequestOf({ request }: Claim): TaskRequest | null {
  return request?.state === "open" ? request : null;
}

/** Posts how a run ended: on the open request, else in the issue. */
export async function tell(
  found: Claim,
  notice: { key: string; words: string; why: string },
  deps: WorkerDeps,
): Promise<void> {
  const { issue, tracker, codeHost } = found;
  const request = openRequestOf(found);
  const said = request !== null && (await sayOnRequest({ issue, number: request.number, codeHost }, notice, deps));
  if (!said) await postOnce(issue, notice, { ...deps, tracker });
}

/** Whether the previous run got stuck in the same way, so that people need not read it twice. */
async function isAsBefore(result: Bad, { earlier }: Claim, { db }: WorkerDeps): Promise<boolean> {
  const last = earlier.at(-1);
  if (last?.status !== "stuck" || (result.kind !== "no progress" && result.kind !== "limit")) return false;
  const before = (await runFacts(db, last.id)).iterations.at(-1);
  return before?.agent?.question === null && hasSameFailures(before.checks, result.checks);
}

/** Ends a run that leaves the pull request unchanged: its issue returns to review. */
export async function endInReview(
  found: Claim,
  { run, why }: { run: "done" | "failed"; why: string },
  deps: WorkerDeps,
): Promise<void> {
  await close(found, { run, task: "done", event: "run_unneeded", why }, deps);
}

/** Ends a run that failed for a reason that a retry cannot fix; `words` say what people can do about it. */
export async function endBadly(found: Claim, error: string, deps: WorkerDeps, words?: string): Promise<void> {
  // A person cancelled the task, so its outcome needs no comment.
  if (!(await isTaskActive(deps.db, found.task.id))) return await endWithout(found, { kind: "stopped" }, deps);
  const said = words ?? phrases("work", found.issue.language)("failed");
  await tell(found, { key: stuckKey(found.run), words: said, why: error }, deps);
  await close(found, { run: "failed", task: "failed", event: "run_failed", why: error }, deps);
}

async function close(
  { issue, task, run }: Claim,
  { run: status, task: next, event, why, settled = [] }: Pick<Ending, "run" | "why"> & Partial<Ending>,
  deps: WorkerDeps,
  question: string | null = null,
): Promise<void> {
  const { db } = deps;
  await deps.withIssueLock(issueName(issue), async () => {
    await db.transaction(async (tx) => {
      await finishRun(tx, run.id, { status, detail: why }, deps.clock);
      await markFeedbackAnswered(tx, task.id, settled);
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

/**
 * Stores the agent's question as a gap of the issue, so that it is counted, listed and closed like other gaps
 * (R-WORK-4).
 */
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

function whyOf(result: Exclude<Bad, { kind: "stopped" | "unusable" }>): string {
  if (result.kind === "question") {
    return `the agent asks: ${result.question.replaceAll(/\s+/g, " ").slice(0, LONGEST_QUESTION).toWellFormed()}`;
  }
  if (result.kind === "outage") return `${result.trouble.why}; it has been so for a day`;
  if (result.kind === "setup failed") {
    const line = tellingLine(result.check.output);
    return `the set-up command ${result.check.command} does not pass${line === "" ? "" : `: ${line}`}`;
  }
  if (result.kind === "not caused") return "the agent says that the change is not the cause of the red checks";
  const red = result.checks.filter(isRed).map(({ command }) => command);
  const still = red.length === 0 ? "" : `; still red: ${red.slice(0, MOST_SHOWN).join(", ")}`;
  const killed = result.bounds.length === 0 ? "" : `; the agent was killed at ${result.bounds.join(", ")}`;
  return `${result.kind === "limit" ? passed(result.limit) : result.detail}${killed}${still}`;
}

function passed(limit: string): string {
  return `the limit of ${limit} is reached (work.${limit === "money" ? "usd" : limit})`;
}

/** For a reason that must fit on one line, in characters. */
const LONGEST_QUESTION = 500;

/** For the operator. */
function networkReason(hosts: readonly string[]): string[] {
  return hosts.length === 0 ? [] : [`nothing is let through to ${hosts.join(", ")}: work.network allows hosts`];
}
