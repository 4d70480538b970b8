import { type ApprovalDeps, type ApprovalOutcome, checkApproval } from "../approval/approve-plan.ts";
import type { Issue } from "../domain/issue.ts";
import type { Context } from "../storage/context.ts";
import type { Db } from "../storage/db.ts";
import { closeGap, listGaps } from "../storage/gaps.ts";
import { getIssue } from "../storage/issues.ts";
import { listUnreadSeqs } from "../storage/messages.ts";
import { latestRun } from "../storage/runs.ts";
import { latestTask, moveTask, rankOf } from "../storage/tasks.ts";
import { isAgentGap } from "../domain/gap.ts";
import { answersTo } from "./stuck-answers.ts";

/** The longest answer that the list of questions keeps, in characters; the thread has the full text. */
const LONGEST_NOTE = 2_000;

/**
 * Checks for an answer to a run that got stuck. If there is one, the task returns to the queue and the next run gets
 * the answer (R-WORK-4). If the issue itself has changed, the approval is no longer valid.
 */
export async function checkAnswer(issue: Issue, deps: ApprovalDeps): Promise<ApprovalOutcome> {
  if ((await checkApproval(issue, deps)) === "plan again") return "plan again";
  const task = await latestTask(deps.db, issue.id);
  const run = task && (await latestRun(deps.db, task.id));
  if (task === null || task.status !== "stuck" || run === null) return "nothing to do";
  // Ignore answers that an earlier run already had when it asked again.
  const unread = new Set(await listUnreadSeqs(deps.db, issue.id));
  const answers = (await answersTo(run, issue, deps)).filter(({ seq }) => unread.has(seq));
  if (answers.length > 0) await requeue(issue, task.id, answers.map(({ answer }) => answer).join("\n\n"), deps);
  return "nothing to do";
}

async function requeue(issue: Issue, taskId: string, answer: string, deps: Context): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (!(await moveTask(tx, taskId, "stuck", "queued", deps.clock))) return;
    for (const gap of await listGaps(tx, issue.id)) {
      if (gap.status !== "open" || !isAgentGap(gap)) continue;
      await closeGap(tx, gap.id, "answered", { note: answer.slice(0, LONGEST_NOTE), answeredIn: null }, deps.clock);
    }
    await deps.transition(tx, issue.id, "question_answered", { why: "answered" });
  });
}

/** Requeues a failed or stuck task when the operator asks for it. */
export async function retryTask(issueId: string, deps: Context): Promise<boolean> {
  return await deps.db.transaction(async (tx) => {
    const issue = await getIssue(tx, issueId);
    const task = await latestTask(tx, issueId);
    if (task === null || (issue.state !== "failed" && issue.state !== "stuck")) return false;
    if (!(await moveTask(tx, task.id, issue.state, "queued", deps.clock))) return false;
    return (await deps.transition(tx, issueId, "retry_requested", { why: "retry asked by the operator" })).moved;
  });
}

/** Queues a waiting task whose job may be gone: after a pause, or because no worker could execute it. */
export async function sendTaskAgain(
  issueId: string,
  deps: { db: Db; jobs: { sendTask: (task: { id: string; rank: number }) => Promise<void> } },
): Promise<void> {
  const { state, externalIssueId } = await getIssue(deps.db, issueId);
  const task = state === "queued" ? await latestTask(deps.db, issueId) : null;
  if (task?.status !== "queued" && task?.status !== "running") return;
  await deps.jobs.sendTask({ id: task.id, rank: rankOf(externalIssueId) });
}
