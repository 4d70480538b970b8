import { isStoppedBy } from "../approval/stop-before-work.ts";
import type { ActionType } from "../domain/action.ts";
import type { Cycle, CycleOutcome, StoredAction } from "../domain/cycle.ts";
import { actionKey } from "../domain/marker.ts";
import type { CycleContext } from "../planner/planner.ts";
import { record } from "../storage/audit.ts";
import type { Context } from "../storage/context.ts";
import { endCycle, listActions } from "../storage/cycles.ts";
import { keepForLater } from "../storage/gaps.ts";
import { markUnread } from "../storage/messages.ts";
import { findPost } from "../storage/posts.ts";

/**
 * Ends a cycle that has said nothing yet, if somebody who decides said to stop since it was planned (R-LIFE-10): its
 * questions are kept for later, and the next cycle reads what it has read, with the stop. Null if it goes on.
 */
export async function withdrawIfStopped(
  cycle: Cycle,
  context: CycleContext,
  deps: Context,
): Promise<CycleOutcome | null> {
  const { issue, newMessages, messages, participants, planned } = context;
  const news = messages.filter(({ seq }) => newMessages.includes(seq));
  if (planned || !isStoppedBy(news, participants, issue)) return null;
  const actions = await listActions(deps.db, cycle.id);
  if (!(await isUnsaid(actions, issue.id, deps))) return null;
  await deps.db.transaction(async (tx) => {
    if (!(await endCycle(tx, cycle.id, "failed", deps.clock))) return;
    await keepForLater(tx, issue.id, cycle.startedAt);
    await markUnread(tx, cycle.id);
    const why = "asked to stop before anything was posted";
    const after = { cycle: cycle.number };
    await record(tx, { issueId: issue.id, actor: "relay", what: "cycle.withdrawn", why, after }, deps);
    await deps.transition(tx, issue.id, "nothing_asked", { why });
  });
  return { failures: [], error: null, again: 0 };
}

/** Whether it has a comment to post, and nothing that people see came of it. */
async function isUnsaid(actions: readonly StoredAction[], issueId: string, { db }: Context): Promise<boolean> {
  if (actions.some(({ status, action }) => status === "done" && SEEN.has(action.type))) return false;
  const waiting = actions.filter(({ status, action }) => status === "pending" && action.type === "post_comment");
  for (const { idempotencyKey } of waiting) {
    if (((await findPost(db, issueId, actionKey(idempotencyKey)))?.triedAgo ?? null) !== null) return false;
  }
  return waiting.length > 0;
}

const SEEN: ReadonlySet<ActionType> = new Set([
  "post_comment",
  "ready_for_spec_generation",
  "update_spec",
  "set_spec_status",
]);
