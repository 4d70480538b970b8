import { type Issue, issueName } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { inSpan, noteInSpan } from "../lib/trace.ts";
import type { Notices } from "../notify/notices/tell.ts";
import { record } from "../storage/audit.ts";
import type { Transition } from "../storage/context.ts";
import type { Db } from "../storage/db.ts";
import { getIssue, lockIssue, moveIssue, setDebounceUntil, setFailedCycles, startDebounce } from "../storage/issues.ts";
import { markAllRead } from "../storage/messages.ts";
import { markStale, restorePlan } from "../storage/plans.ts";
import type { SqlExecutor } from "../storage/queue/queue.ts";
import { cancelOpenTask, latestTask, rankOf } from "../storage/tasks.ts";
import { type Effect, nextStep } from "./state-machine.ts";

interface ExecutorDeps {
  clock: Clock;
  ids: Ids;
  /** Hands a task to a worker when the transaction commits; those of small issue numbers come first. */
  sendTask: (task: { id: string; rank: number }, within: SqlExecutor) => Promise<void>;
  /**
   * Sends the job that updates the status comment, when the transaction commits (R-LIFE-9); absent if there is none.
   */
  sendStatus?: (issue: Issue, within: SqlExecutor) => Promise<void>;
  /** Stores the notices to teams; absent if no team is configured. */
  notices?: Pick<Notices, "moved"> | undefined;
}

/** Carries out what the state machine decides, in the caller's transaction: the one place that moves an issue. */
export function createExecutor(deps: ExecutorDeps): Transition {
  const { clock, ids } = deps;
  return async (db, issueId, event, { why, actor = "relay" }) => {
    const attributes = { "relay.issue.id": issueId, "relay.lifecycle.event": event };
    const move = async (tx: Db) => {
      const issue = await lockIssue(tx, issueId);
      const step = nextStep({ name: issueName(issue), state: issue.state, returnTo: issue.resumesAs }, event);
      if (step === null) return { issue, moved: false };
      noteInSpan({ "relay.issue.state": step.state });
      for (const effect of step.effects) await carryOut(effect, issue, why, tx, deps);
      if (step.state !== issue.state || step.returnTo !== issue.resumesAs) await moveIssue(tx, issueId, step, clock);
      if (step.state !== issue.state) {
        const change = { what: "state.changed", why, before: issue.state, after: step.state };
        await record(tx, { issueId, actor, ...change }, { clock, ids });
      }
      const moved = await getIssue(tx, issueId);
      await deps.sendStatus?.(moved, tx);
      await deps.notices?.moved(tx, moved, event, issue.state);
      return { issue: moved, moved: true };
    };
    return await inSpan("transition", { attributes }, async () => await db.transaction(move));
  };
}

async function carryOut(effect: Effect, issue: Issue, why: string, tx: Db, deps: ExecutorDeps): Promise<void> {
  switch (effect) {
    case "wake":
      await startDebounce(tx, issue.id, 0);
      return;
    case "wake_unless_debouncing":
      if (issue.debounceUntil === null) await startDebounce(tx, issue.id, 0);
      return;
    case "end_debounce":
      return await setDebounceUntil(tx, issue.id, null);
    case "discard_plan":
      return await markStale(tx, issue.id);
    case "restore_plan": {
      const task = await latestTask(tx, issue.id);
      if (task !== null) await restorePlan(tx, task.planId);
      return;
    }
    case "cancel_task": {
      const task = await cancelOpenTask(tx, issue.id, deps.clock);
      if (task === null) return;
      const cancelled = { what: "task.cancelled", why, after: { task_id: task.id } };
      return await record(tx, { issueId: issue.id, actor: "relay", ...cancelled }, deps);
    }
    case "finish_task":
      await cancelOpenTask(tx, issue.id, deps.clock, "done");
      return;
    case "send_task": {
      const task = await latestTask(tx, issue.id);
      if (task !== null) await deps.sendTask({ id: task.id, rank: rankOf(issue.externalIssueId) }, tx);
      return;
    }
    case "mark_read":
      return await markAllRead(tx, issue.id);
    case "count_failure":
      return await setFailedCycles(tx, issue.id, issue.failedCycles + 1);
    case "reset_failures":
      return await setFailedCycles(tx, issue.id, 0);
    default:
      return effect satisfies never;
  }
}
