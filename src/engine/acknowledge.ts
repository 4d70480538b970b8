import { type TrackerEvent, isFound, isOfPullRequest } from "../domain/event.ts";
import { isAmong } from "../domain/login.ts";
import { openRequestOf } from "../implementation/pull-request/pull-request-ended.ts";
import { asTold, changeOf, decide, isBots } from "../intake/decide.ts";
import { mayDecide } from "../intake/deciding-words.ts";
import { mayAssign, mayCall } from "../intake/process.ts";
import { Postponed, RelayError, lostAccess, messageOf } from "../lib/errors.ts";
import { record } from "../storage/audit.ts";
import { findReceived } from "../storage/deliveries.ts";
import { findIssue, findIssueById } from "../storage/issues.ts";
import { findStableRepository } from "../storage/repositories.ts";
import { findLastSeen } from "../storage/threads.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import { findRequestOf } from "./process-request-event.ts";
import { WAITS } from "./state-machine.ts";
import type { OrchestratorDeps } from "./wake.ts";

/** The reaction that tells people that Relay takes up what they wrote (R-LIFE-8). */
const REACTION = "eyes";
/** Milliseconds after which an acknowledgement says nothing any more. */
const LATEST = 3_600_000;
/** Milliseconds for which a message that a delivery told of may be missing, and until it is looked for again. */
const MOST_LAG = 60_000;
const SOONEST = 1_000;

type Deps = Pick<
  OrchestratorDeps,
  "db" | "clock" | "ids" | "log" | "trackerFor" | "confirmation" | "respondToBots" | "engage"
>;

/**
 * The job `acknowledge`: adds a reaction to the message of a delivery if Relay takes it up. It decides from what is
 * stored, and asks the tracker at most for people's permissions, so it waits for neither the issue's lock nor a cycle.
 * If the message is gone, it does nothing after a minute, since the tracker may lag; if a token or permission is refused, it waits for access. Until the event
 * that engages Relay in the issue is processed, later messages count for nothing: `process-deliveries.ts` then sends
 * their jobs again.
 */
export async function acknowledge(name: string, deps: Deps): Promise<void> {
  const { db, clock, log } = deps;
  const delivery = await findReceived(db, name);
  if (delivery === null || clock.now().getTime() - delivery.receivedAt.getTime() > LATEST) return;
  const { event } = delivery;
  const tracker = await deps.trackerFor(event);
  try {
    if (!(await isTakenUp(event, tracker, deps))) return;
    await tracker.addReaction(event, event.commentId, REACTION, event.threadId);
    await recordReaction(event, deps);
  } catch (error) {
    if (error instanceof RelayError && error.retryable) throw error;
    const age = clock.now().getTime() - delivery.receivedAt.getTime();
    if (isMissing(error) && tracker.settlesAfterMs > 0 && age < MOST_LAG) throw notShownYet(event, age);
    const waiting = lostAccess(error);
    if (waiting !== null) throw waiting;
    log.warn(
      { project_id: event.externalProjectId, issue_iid: event.externalIssueId, error: messageOf(error) },
      "no reaction",
    );
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof RelayError && error.code === "not_found";
}

/** What was just written may not be there yet for others (R-IN-11). */
function notShownYet({ commentId }: TrackerEvent, age: number): Postponed {
  return new Postponed(`message ${commentId ?? "of the issue"} is not shown yet`, {
    retryAfterMs: Math.max(age, SOONEST),
  });
}

/** The event by the name under which its repository is stored: a rename may be learned later (R-LIFE-8). */
async function asStored(event: TrackerEvent, db: Deps["db"]): Promise<TrackerEvent> {
  const { provider, stableProjectId } = event;
  const same = stableProjectId === undefined ? null : await findStableRepository(db, provider, stableProjectId);
  return same === null ? event : { ...event, externalProjectId: same.externalProjectId };
}

async function recordReaction(told: TrackerEvent, deps: Deps): Promise<void> {
  const event = await asStored(told, deps.db);
  const request = isOfPullRequest(event) ? await findRequestOf(deps.db, event) : null;
  const issueId = request?.issueId ?? (await findIssue(deps.db, event))?.id;
  // The first call of an issue is answered before the issue is known.
  if (issueId === undefined) return;
  const after = { reaction: REACTION, comment_id: event.commentId };
  await record(deps.db, { issueId, actor: "relay", what: "reaction.added", after }, deps);
}

async function isTakenUp(event: TrackerEvent, tracker: Tracker, deps: Deps): Promise<boolean> {
  if (isOfPullRequest(event)) return await isTakenUpInReview(event, tracker, deps);
  const tracked = await findIssue(deps.db, await asStored(event, deps.db));
  const names = [tracker.bot, ...tracker.calledAs];
  const last = tracked && (await findLastSeen(deps.db, tracked.repositoryId, [tracked.externalIssueId]));
  const seen = last?.get(event.externalIssueId) ?? null;
  const now = asTold(event, seen);
  const decision = decide(event, {
    names,
    seen,
    now,
    merged: false,
    actorPermitted: await mayCall(event, { ...deps, tracker }),
    assignerPermitted: await mayAssign(event, { now, change: changeOf(now, { names, seen }) }, { ...deps, tracker }),
    respondToBots: deps.respondToBots ?? false,
    wished: false,
  });
  switch (decision.kind) {
    case "engage":
    case "resume":
    case "restart":
      return true;
    case "refresh": {
      if (tracked === null || isFound(event)) return false;
      // The event itself may have been processed first.
      if (event.kind === "assigned") return isAmong(event.assignee ?? "", names) && tracked.state !== "closed";
      if (decision.wake !== "quiet" || event.kind === "opened") return decision.wake === "now";
      return (
        !WEIGHED.has(WAITS[tracked.state].wake) ||
        (await mayDecide(event, tracked, tracker, deps.confirmation.confirmers))
      );
    }
    default:
      return false;
  }
}

/** While a plan is discussed or carried out, words count by their author's permission (R-CONF-9). */
const WEIGHED: ReadonlySet<string> = new Set(["check_approval", "check_answer", "check_review"]);

async function isTakenUpInReview(event: TrackerEvent, tracker: Tracker, deps: Deps): Promise<boolean> {
  if (isAmong(event.actor, [tracker.bot, ...tracker.calledAs])) return false;
  if (event.commentId === null || (isBots(event) && deps.respondToBots !== true)) return false;
  const request = await findRequestOf(deps.db, await asStored(event, deps.db));
  const issue = request && (await findIssueById(deps.db, request.issueId));
  if (issue === null || (await openRequestOf(issue, deps.db)) === null) return false;
  return await mayDecide(event, issue, tracker, deps.confirmation.confirmers);
}
