import type { Issue } from "../domain/issue.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import { latestPlan } from "../storage/plans.ts";
import { retirePlan } from "./retire-plan.ts";
import { announce } from "./plan-notices.ts";
import { lastCancelledTask } from "../storage/audit.ts";
import type { Context } from "../storage/context.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";

interface CancelDeps extends Context {
  tracker: Tracker;
}

/** Says in the plan's comment that the plan no longer counts, where Relay was unassigned; nothing after a close. */
export async function retireUnassigned(issue: Issue, deps: CancelDeps): Promise<void> {
  const plan = await latestPlan(deps.db, issue.id);
  if (plan !== null) await retirePlan(issue, plan, { because: "unassigned" }, deps);
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
  try {
    await announce(issue, { kind: "cancelled", because }, { key, why: because }, deps);
  } catch (error) {
    // A deleted, moved or locked issue takes no comments; its task is cancelled all the same.
    if (!(error instanceof RelayError) || error.retryable) throw error;
    deps.log.warn({ issue_id: issue.id, error: messageOf(error) }, "could not announce the cancellation");
  }
}
