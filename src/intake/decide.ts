import { type TrackerEvent, isFound, isOfPullRequest, isSpeech, mentions } from "../domain/event.ts";
import { isAmong, sameLogin } from "../domain/login.ts";
import { repeatsRelay } from "../approval/read-reply.ts";
import type { TrackerIssue } from "../adapters/trackers/tracker.ts";
import type { LastSeen } from "../storage/threads.ts";

/** When the planner may run after an event: at once, after the debounce, or not because of this event. */
export type Wake = "now" | "quiet" | "no";

/** The effect of an event on an issue (R-LIFE-2, R-LIFE-3, R-IN-4, R-IN-10). */
export type Decision =
  | { kind: "drop"; reason: string }
  | { kind: "engage"; wake: Wake }
  | { kind: "refresh"; wake: Wake }
  | { kind: "resume"; wake: Wake }
  /**
   * It was closed and reopened, or Relay unassigned and assigned again, before Relay looked: the work stops and resumes,
   * as if each was seen (R-IN-10).
   */
  | { kind: "restart"; reason: StopReason; wake: Wake }
  | { kind: "stop"; reason: StopReason }
  /** Somebody called Relay in a closed issue, or wished for more there: the answer says that it is closed (R-LIFE-11). */
  | { kind: "decline" };

/** Who may call Relay: everybody with this permission or more, these logins as well as those who may triage, or anyone. */
export type Engage = "triage" | "write" | "anyone" | readonly string[];

/** Why an assignment is dropped, again and again as long as it stands. */
export const NOT_BY_WHO_MAY = "assigned without permission";

export type StopReason = "closed" | "unassigned";

/** What an issue became since Relay last saw it. */
export type Change = "closed" | "reopened" | "assigned" | "unassigned" | null;

/** The issue as the tracker has it. */
type Now = Pick<TrackerIssue, "state" | "assignees">;

export interface KnownFacts {
  /** Logins by which people assign and mention Relay, including its own. */
  names: readonly string[];
  /** The issue as Relay last saw it; null when Relay is not engaged in it. */
  seen: LastSeen | null;
}

export interface DecisionFacts extends KnownFacts {
  now: Now;
  /** Whether the merge of its own pull request closed the issue, which stops nothing. */
  merged: boolean;
  /** Whether the actor may call Relay by a mention. */
  actorPermitted: boolean;
  /** Whether who assigned Relay may call it, where it was or is told to be. */
  assignerPermitted: boolean;
  /** Whether comments of other bots may wake Relay in issues that it is engaged in. */
  respondToBots: boolean;
  /** Whether the event asks for more than what was merged, by somebody who decides. */
  wished: boolean;
}

/**
 * Pure: the caller provides the facts. The event is a hint: whether the issue is closed and whether Relay is assigned
 * comes from the tracker, so that late, repeated and reordered deliveries change nothing (R-IN-10).
 */
export function decide(event: TrackerEvent, facts: DecisionFacts): Decision {
  const reason = whyDropped(event, facts);
  if (reason !== null) return { kind: "drop", reason };
  if (isRefusedCall(event, facts)) return { kind: "drop", reason: "mention without permission" };
  const { names, seen, now, merged, wished } = facts;
  // What was merged stays done as long as its issue is closed; a wish is taken up when it is reopened.
  if (isOver(now, facts)) return wished ? { kind: "decline" } : { kind: "refresh", wake: "no" };
  const called = facts.actorPermitted && callsFor(event, names);
  if (called && now.state === "closed" && !merged) return { kind: "decline" };
  const wake = called ? "now" : "quiet";
  const change = changeOf(now, facts);
  if (change === "closed" && !merged) return { kind: "stop", reason: change };
  if (change === "unassigned") return { kind: "stop", reason: change };
  if (change === "assigned" && !facts.assignerPermitted && !called) return { kind: "drop", reason: NOT_BY_WHO_MAY };
  if (change === "assigned" || change === "reopened") return { kind: seen === null ? "engage" : "resume", wake };
  if (seen === null) {
    if (called) return { kind: "engage", wake };
    return { kind: "drop", reason: "not as the event tells" };
  }
  const ended = endedBetween(event, facts);
  if (ended === "unassigned" && !facts.assignerPermitted) return { kind: "stop", reason: ended };
  if (ended !== null) return { kind: "restart", reason: ended, wake };
  if (seen.state !== "closed") return { kind: "refresh", wake: wakeBy(event, called, facts, seen) };
  if (called || (facts.assignerPermitted && isAssignedAgain(event, facts, seen))) return { kind: "resume", wake };
  const told = toldStop(event, facts);
  return told === null ? { kind: "drop", reason: "stopped" } : { kind: "stop", reason: told };
}

/** Whether the issue is done by a merge, and closed. */
export function isOver(now: Now, { seen, merged }: Pick<DecisionFacts, "seen" | "merged">): boolean {
  return merged && seen?.state === "done" && now.state === "closed";
}

/** Whether somebody calls Relay in an issue that it is not at work on, and may not. */
export function isRefusedCall(event: TrackerEvent, facts: KnownFacts & { actorPermitted: boolean }): boolean {
  const { names, seen, actorPermitted } = facts;
  return !actorPermitted && (seen === null || seen.state === "closed") && callsFor(event, names);
}

/** Why an event needs no look at the tracker: it can neither change the issue nor wake anybody; null otherwise. */
export function whyDropped(event: TrackerEvent, facts: KnownFacts): string | null {
  const { names, seen } = facts;
  if (isAmong(event.actor, names)) return "Relay's own doing";
  if (isOfPullRequest(event)) return "of a pull request";
  const running = seen !== null && seen.state !== "closed";
  if (running) return null;
  // Other bots are context and not a signal, and no bot can call Relay in by commenting.
  if (isBots(event) && isSpeech(event)) return callsFor(event, names) || seen !== null ? "another bot" : "not engaged";
  const told = event.kind === "reopened" || (event.kind === "assigned" && concerns(event, facts));
  if (told || callsFor(event, names)) return null;
  if (seen === null) return "not engaged";
  return isFound(event) || event.kind === "closed" || (event.kind === "unassigned" && concerns(event, facts))
    ? null
    : "stopped";
}

/**
 * Whether an event is dropped where Relay is not engaged in its issue, by whatever name people call it: what may call
 * or assign it, or is of a pull request, is not.
 */
export function isNothingUnlessEngaged(event: TrackerEvent): boolean {
  const { kind, text } = event;
  if (isOfPullRequest(event) || kind === "assigned" || kind === "reopened") return false;
  return text === null || !text.includes("@");
}

/**
 * How the issue differs from what Relay last saw, if that starts or stops Relay. One that Relay is engaged in by a
 * mention alone was never seen assigned. A stopped issue was seen closed, or else open: then Relay was unassigned, or
 * its pull request was closed.
 */
export function changeOf(now: Now, { names, seen }: KnownFacts): Change {
  const open = now.state === "open";
  const [was, is] = [seen ?? { assignees: [] }, now].map(({ assignees }) =>
    assignees.some((one) => isAmong(one, names)),
  );
  if (seen === null) return open && is ? "assigned" : null;
  const known = seen.state === "closed" && seen.tracker?.state === "closed";
  if (known) return open && (is || !was) ? "reopened" : null;
  if (!open) return seen.state !== "closed" || was ? "closed" : null;
  if (was && !is) return "unassigned";
  return seen.state === "closed" && is && !was ? "assigned" : null;
}

/** Whether Relay was taken off a stopped issue and put back on it before anybody looked. */
function isAssignedAgain(event: TrackerEvent, facts: DecisionFacts, { tracker }: LastSeen): boolean {
  const { names, now } = facts;
  const isTrue = now.state === "open" && now.assignees.some((login) => isAmong(login, names));
  const isNew = tracker !== null && event.at > tracker.updatedAt;
  return event.kind === "assigned" && concerns(event, facts) && isTrue && isNew;
}

/**
 * How an issue ended, and began again, before Relay looked: the event tells of an end that is not taken into account yet,
 * while the issue is now as Relay knows it. When Relay looked last says nothing: a comment after the reopening shows the
 * issue as newer than its closing.
 */
export function endedBetween(event: TrackerEvent, facts: KnownFacts & { now: Now }): StopReason | null {
  const { kind, at, outcome } = event;
  const { names, seen, now } = facts;
  const runs = seen !== null && seen.state !== "closed" && seen.state !== "done";
  if (!runs || outcome !== null || isFound(event) || now.state !== "open" || changeOf(now, facts) !== null) return null;
  const { endsHeardUntil } = seen;
  if (endsHeardUntil === null || at <= endsHeardUntil) return null;
  if (kind === "closed" || kind === "reopened") return "closed";
  const isAssigned = now.assignees.some((login) => isAmong(login, names));
  return kind === "unassigned" && isAssigned && concerns(event, facts) ? "unassigned" : null;
}

/** The issue as it must be if the event is true, for who does not ask the tracker. */
export function asTold({ kind, assignee }: TrackerEvent, seen: LastSeen | null): Now {
  const known = seen?.assignees ?? [];
  const others = assignee === null ? known : known.filter((login) => !sameLogin(login, assignee));
  const assignees = kind === "unassigned" || assignee === null ? others : [...others, assignee];
  const state = kind === "closed" ? "closed" : kind === "reopened" ? "open" : (seen?.tracker?.state ?? "open");
  return { state, assignees };
}

/** The stop that an event reports of an issue that has stopped already: a crash may have interrupted the stop. */
function toldStop(event: TrackerEvent, { names, now }: DecisionFacts): StopReason | null {
  if (event.kind === "closed" && now.state === "closed") return "closed";
  const assigned = now.assignees.some((login) => isAmong(login, names));
  return event.kind === "unassigned" && !assigned ? "unassigned" : null;
}

/** Whether the author is a bot; another Relay is one, under any account. */
export function isBots(event: TrackerEvent): boolean {
  return event.actorIsBot || (event.text !== null && isSpeech(event) && repeatsRelay(event.text));
}

/** When the planner may run in an issue that Relay is engaged in. */
function wakeBy(event: TrackerEvent, called: boolean, facts: DecisionFacts, { state }: LastSeen): Wake {
  switch (event.kind) {
    case "closed":
      return facts.merged && state !== "done" ? "now" : "no";
    case "unassigned":
    case "assigned":
    case "reopened":
    case "labelled":
    // These come with pull requests only, which are dropped.
    case "pull_request_merged":
    case "pull_request_closed":
    case "pull_request_reopened":
    case "review_submitted":
    case "review_commented":
    case "checks_completed":
      return "no";
    case "opened":
    case "edited":
    case "commented":
    case "comment_edited":
    case "comment_deleted":
      if (state === "paused" || (isBots(event) && isSpeech(event) && !facts.respondToBots)) return "no";
      return called ? "now" : "quiet";
    default:
      return event.kind satisfies never;
  }
}

/** Whether Relay was assigned or unassigned. */
export function concerns({ assignee }: TrackerEvent, { names }: Pick<KnownFacts, "names">): boolean {
  return assignee !== null && isAmong(assignee, names);
}

/** Whether the event mentions Relay. Only new comments count, not edits. */
export function callsFor(event: TrackerEvent, names: readonly string[]): boolean {
  if (event.kind !== "commented" && event.kind !== "opened" && event.kind !== "review_commented") return false;
  const { text } = event;
  return text !== null && !isAmong(event.actor, names) && names.some((name) => mentions(text, name));
}
