import type { Issue } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Ids } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import { planNotice } from "./plan-notices.ts";
import { isToldOnRecord, lastCancelledTask, record } from "../storage/audit.ts";
import type { Db } from "../storage/db.ts";
import { setResumesAs } from "../storage/issues.ts";
import { markStale } from "../storage/plans.ts";
import { cancelOpen } from "../storage/tasks.ts";
import { postOnce } from "../notify/post-once.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";

interface TakeBackDeps {
  db: Db;
  clock: Clock;
  ids: Ids;
  log: Log;
  tracker: Tracker;
}

/**
 * Takes back what was agreed to, also where a worker has it: the issue was closed, or Relay taken off it (R-LIFE-2).
 * Where it goes on later, the plan must be agreed to anew.
 */
export async function cancelTask(issue: Issue, because: "closed" | "unassigned", deps: TakeBackDeps): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await markStale(tx, issue.id);
    const task = await cancelOpen(tx, issue.id, deps.clock);
    if (task === null) return;
    await setResumesAs(tx, issue.id, "waiting_confirmation");
    const after = { task_id: task.id };
    await record(tx, { issueId: issue.id, actor: "relay", what: "task.cancelled", why: because, after }, deps);
  });
  await tellCancelled(issue, because, deps);
}

/** Also where a crash came between the end of the task and the comment that tells of it. */
async function tellCancelled(issue: Issue, because: "closed" | "unassigned", deps: TakeBackDeps): Promise<void> {
  const taskId = await lastCancelledTask(deps.db, issue.id);
  if (taskId === null) return;
  const key = `cancelled:${taskId}`;
  if (await isToldOnRecord(deps.db, issue.id, key)) return;
  const words = planNotice({ kind: "cancelled", because }, issue.language);
  try {
    await postOnce(issue, { key, words, why: because }, deps);
  } catch (error) {
    // An issue that was deleted, moved elsewhere or locked takes no comment, and the task is taken back all the same.
    if (!(error instanceof RelayError) || error.retryable) throw error;
    deps.log.warn({ issue_id: issue.id, error: messageOf(error) }, "could not tell that the task was taken back");
  }
}
