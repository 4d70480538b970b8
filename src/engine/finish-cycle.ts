import type { Cycle, CycleOutcome } from "../domain/cycle.ts";
import type { Issue } from "../domain/issue.ts";
import type { IssueState } from "../domain/lifecycle.ts";
import { phrases } from "../i18n/phrases.ts";
import type { Planned } from "../planner/planner.ts";
import { type RelayError, Postponed, messageOf } from "../lib/errors.ts";
import type { Context } from "../storage/context.ts";
import { endCycle, listActions } from "../storage/cycles.ts";
import { linkCalls } from "../storage/model-calls.ts";
import { listGaps } from "../storage/gaps.ts";
import { latestSpec } from "../storage/specs.ts";
import { getIssue } from "../storage/issues.ts";
import { markUnread } from "../storage/messages.ts";
import { postOnce } from "../notify/post-once.ts";
import { Unsettled } from "../notify/send-once.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import { endOfCycle } from "./cycle-outcome.ts";

export interface FinishDeps extends Context {
  tracker: Tracker;
  /** A fix plan follows the spec. */
  plansNext?: boolean;
}

/** States to return to if the spec is written and its plan exists or comes next. */
const WITH_PLAN: ReadonlySet<IssueState | null> = new Set(["specifying", "waiting_confirmation"]);

interface CycleEnd {
  failures: string[];
  /** The error behind the failures, where one was thrown. */
  error: RelayError | null;
}

/**
 * Ends a cycle and moves the issue on, in one transaction. A failed cycle returns the messages that it read, so that no
 * answer and no go-ahead is lost; when the circuit breaker opens, the issue is paused, and one comment says so
 * (R-ACT-4).
 */
export async function finishCycle(
  cycle: Cycle,
  { failures, error }: CycleEnd,
  deps: FinishDeps,
): Promise<CycleOutcome> {
  const { issueId } = cycle;
  const failed = failures.length > 0;
  const issue = await getIssue(deps.db, issueId);
  const actions = (await listActions(deps.db, cycle.id)).filter(({ status }) => status === "done");
  const done = new Set(actions.map(({ action }) => action.type));
  const gaps = await listGaps(deps.db, issueId);
  const writtenAt = (await latestSpec(deps.db, issueId))?.createdAt;
  const isAnsweredAnew = gaps.some(
    ({ closedReason, closedAt }) =>
      closedReason === "answered" && closedAt !== null && writtenAt !== undefined && closedAt > writtenAt,
  );
  const event = endOfCycle({
    failed,
    failedCycles: issue.failedCycles,
    wroteSpec: done.has("ready_for_spec_generation") || done.has("update_spec"),
    plansNext: deps.plansNext ?? false,
    openQuestions: gaps.some(({ status }) => status === "open"),
    // While a plan waits for people or comes next, a comment is only an answer: people approve the plan or change it,
    // and are asked nothing else, unless a question was answered after the spec was written.
    commented: done.has("post_comment") && (!WITH_PLAN.has(issue.resumesAs) || isAnsweredAnew),
  });
  if (event === "circuit_opened") await announcePause(issue, cycle, failures, deps);
  await deps.db.transaction(async (tx) => {
    if (!(await endCycle(tx, cycle.id, failed ? "failed" : "done", deps.clock))) return;
    await linkCalls(tx, issueId, cycle.id);
    if (failed) await markUnread(tx, cycle.id);
    await deps.transition(tx, issueId, event, { why: failed ? failures.join("; ") : cycle.reasoning });
  });
  return { failures, error, again: event === "cycle_failed" ? "after the wait" : null };
}

/** The comment's marker shows after a crash that it was posted (R-ACT-5). */
async function announcePause(issue: Issue, cycle: Cycle, failures: string[], deps: FinishDeps): Promise<void> {
  const count = issue.failedCycles + 1;
  const words = phrases("thread", issue.language)("paused", { count, error: failures[0] ?? "" });
  try {
    await postOnce(issue, { key: `paused:${cycle.id}`, words, why: failures.join("; ") }, deps);
  } catch (error) {
    if (error instanceof Postponed && !(error instanceof Unsettled)) throw error;
    deps.log.error({ issue_id: issue.id, error: messageOf(error) }, "could not announce the pause");
  }
}

/** The failures of a cycle whose planner produced no usable actions (R-ACT-4). */
export function withoutActions(planned: Exclude<Planned, { kind: "planned" }>) {
  if (planned.kind === "unable") {
    const { why, error } = planned;
    const failures = [`FAILED: planner | ${why} | ${error.retryable ? "retryable" : "permanent"}`];
    return { failures, reasoning: error.message, error };
  }
  return {
    failures: planned.problems.map(({ index, rule }) => `FAILED: action ${index} | ${rule} | permanent`),
    reasoning: "the planner's actions were refused",
    error: null,
  };
}
