import type { Cycle, CycleOutcome } from "../domain/cycle.ts";
import type { Issue } from "../domain/issue.ts";
import type { IssueState } from "../domain/lifecycle.ts";
import { phrases } from "../i18n/phrases.ts";
import type { Clock } from "../lib/clock.ts";
import type { RelayError } from "../lib/errors.ts";
import { messageOf } from "../lib/errors.ts";
import type { Ids } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import { endCycle, listActions } from "../storage/cycles.ts";
import type { Database, Db } from "../storage/db.ts";
import { linkCalls } from "../storage/evals.ts";
import { listGaps } from "../storage/gaps.ts";
import { getIssue, moveIssue, setFailedCycles } from "../storage/issues.ts";
import { markUnread } from "../storage/messages.ts";
import { postOnce } from "../notify/post-once.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";

export interface FinishDeps {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  tracker: Tracker;
  /** A fix plan follows the spec. */
  plansNext?: boolean;
}

interface CycleEnd {
  failures: string[];
  /** Failed cycles in a row, this one counted. */
  failedCycles: number;
  /** Where the issue stood before the cycle. */
  before: IssueState;
  error: RelayError | null;
}

const CYCLES_BEFORE_PAUSE = 3;

/**
 * Ends a cycle and moves the issue on, in one transaction. A failed cycle gives back the messages that it read, so
 * that no answer and no go-ahead is lost; after three of them in a row the issue rests (R-ACT-4).
 */
export async function finishCycle(cycle: Cycle, end: CycleEnd, deps: FinishDeps): Promise<CycleOutcome> {
  const { issueId } = cycle;
  const failed = end.failures.length > 0;
  const pausing = end.failedCycles >= CYCLES_BEFORE_PAUSE;
  if (pausing) await tellPause(await getIssue(deps.db, issueId), cycle, end, deps);
  await deps.db.transaction(async (tx) => {
    const issue = await getIssue(tx, issueId);
    const next = pausing ? "paused" : failed ? end.before : await nextState(tx, issue, cycle, end.before, deps);
    await endCycle(tx, cycle.id, failed ? "failed" : "done", deps.clock);
    await linkCalls(tx, issueId, cycle.id);
    await setFailedCycles(tx, issueId, end.failedCycles);
    if (failed) await markUnread(tx, cycle.id);
    // The operator may have stopped it in the middle of the cycle; that stands.
    if (issue.state === "paused" || issue.state === "closed") return;
    await moveThrough(tx, issue, next, failed ? end.failures.join("; ") : cycle.reasoning, deps);
  });
  return { failures: end.failures, error: end.error, again: failed && !pausing ? "after the wait" : null };
}

async function nextState(
  tx: Db,
  issue: Issue,
  cycle: Cycle,
  before: IssueState,
  { plansNext = false }: FinishDeps,
): Promise<IssueState> {
  const actions = (await listActions(tx, cycle.id)).filter(({ status }) => status === "done");
  const done = new Set(actions.map(({ action }) => action.type));
  if (done.has("ready_for_spec_generation") || done.has("update_spec")) return plansNext ? "specifying" : "done";
  if ((await listGaps(tx, issue.id)).some((gap) => gap.status === "open")) return "clarifying";
  return done.has("post_comment") && issue.state === "planning" ? "awaiting_proceed" : before;
}

const AFTER_SPECIFYING: ReadonlySet<IssueState> = new Set(["specifying", "done", "awaiting_proceed", "paused"]);

/** Goes to the next state, by way of `specifying` or `planning` where the table asks for it. */
async function moveThrough(tx: Db, issue: Issue, next: IssueState, why: string, deps: FinishDeps): Promise<void> {
  const { resumesAs } = issue;
  if (issue.state === "specifying" && !AFTER_SPECIFYING.has(next)) {
    await moveIssue(tx, issue.id, "planning", { why, resumesAs }, deps);
  }
  if (issue.state === "planning" && next === "done") {
    await moveIssue(tx, issue.id, "specifying", { why, resumesAs }, deps);
  }
  await moveIssue(tx, issue.id, next, { why }, deps);
}

/** One comment tells the people (R-ACT-4); after a crash its marker shows that it was posted (R-ACT-5). */
async function tellPause(issue: Issue, cycle: Cycle, end: CycleEnd, deps: FinishDeps): Promise<void> {
  const words = phrases("thread", issue.language)("paused", { count: end.failedCycles, error: end.failures[0] ?? "" });
  try {
    await postOnce(issue, { key: `paused:${cycle.id}`, words, why: end.failures.join("; ") }, deps);
  } catch (error) {
    deps.log.error({ issue_id: issue.id, error: messageOf(error) }, "could not tell the people about the pause");
  }
}
