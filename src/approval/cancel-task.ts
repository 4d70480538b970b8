import type { Issue } from "../domain/issue.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import { planNotice } from "./plan-notices.ts";
import { isPostRecorded, lastCancelledTask } from "../storage/audit.ts";
import type { Context } from "../storage/context.ts";
import { postOnce } from "../notify/post-once.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";

interface CancelDeps extends Context {
  tracker: Tracker;
}

/** Says once that the task of an issue was cancelled, because the issue was closed or Relay was unassigned (R-LIFE-2). */
export async function announceCancellation(
  issue: Issue,
  because: "closed" | "unassigned",
  deps: CancelDeps,
): Promise<void> {
  const taskId = await lastCancelledTask(deps.db, issue.id);
  if (taskId === null) return;
  const key = `cancelled:${taskId}`;
  if (await isPostRecorded(deps.db, issue.id, key)) return;
  const words = planNotice({ kind: "cancelled", because }, issue.language);
  try {
    await postOnce(issue, { key, words, why: because }, deps);
  } catch (error) {
    // An issue that was deleted, moved elsewhere or locked takes no comment, and the task is taken back all the same.
    if (!(error instanceof RelayError) || error.retryable) throw error;
    deps.log.warn({ issue_id: issue.id, error: messageOf(error) }, "could not tell that the task was taken back");
  }
}
