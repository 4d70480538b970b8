import { type TrackerEvent, isOfPullRequest, isSpeech, mentions } from "../domain/event.ts";
import type { IssueState } from "../domain/lifecycle.ts";
import { isAmong } from "../domain/login.ts";
import { repeatsRelay } from "./thread.ts";

/** When the planner may run after an event: at once, after the debounce, or not because of this event. */
export type Wake = "now" | "quiet" | "no";

/** The effect of an event on an issue (R-LIFE-2, R-LIFE-3, R-IN-4). */
export type Decision =
  | { kind: "drop"; reason: string }
  | { kind: "engage"; wake: Wake }
  | { kind: "refresh"; wake: Wake }
  | { kind: "resume"; wake: Wake }
  | { kind: "stop"; reason: StopReason };

/** Who may call Relay: everybody with this permission or more, these logins as well as those who may triage, or anyone. */
export type Engage = "triage" | "write" | "anyone" | readonly string[];

export type StopReason = "closed" | "unassigned";

export interface DecisionFacts {
  /** Logins by which people assign and mention Relay, including its own. */
  names: readonly string[];
  /** The stored state; null when Relay is not engaged in the issue. */
  state: IssueState | null;
  /** Whether the actor may call Relay by a mention. */
  actorPermitted: boolean;
  /** Whether comments of other bots may wake Relay in issues that it is engaged in. */
  respondToBots: boolean;
}

/** Pure: the caller provides the facts. */
export function decide(event: TrackerEvent, facts: DecisionFacts): Decision {
  if (isAmong(event.actor, facts.names)) return { kind: "drop", reason: "Relay's own doing" };
  if (isOfPullRequest(event)) return { kind: "drop", reason: "of a pull request" };
  const decision = facts.state === null ? decideNew(event, facts) : decideTracked(event, facts, facts.state);
  // Other bots are context and not a signal, unless configured; and no bot can call Relay in by commenting.
  if (isBots(event) && "wake" in decision && isSpeech(event)) {
    const stopped = facts.state === null || facts.state === "closed";
    if (stopped) return { kind: "drop", reason: "another bot" };
    return { kind: "refresh", wake: facts.respondToBots ? decision.wake : "no" };
  }
  return decision;
}

/** Whether the author is a bot; another Relay is one, under any account. */
export function isBots(event: TrackerEvent): boolean {
  return event.actorIsBot || (event.text !== null && isSpeech(event) && repeatsRelay(event.text));
}

function decideNew(event: TrackerEvent, facts: DecisionFacts): Decision {
  if (event.kind === "assigned" && concerns(event, facts)) {
    return { kind: "engage", wake: "quiet" };
  }
  if (callsFor(event, facts.names)) {
    return facts.actorPermitted
      ? { kind: "engage", wake: "now" }
      : { kind: "drop", reason: "mention without permission" };
  }
  return { kind: "drop", reason: "not engaged" };
}

function decideTracked(event: TrackerEvent, facts: DecisionFacts, state: IssueState): Decision {
  switch (event.kind) {
    case "unassigned":
      if (!concerns(event, facts)) return { kind: "refresh", wake: "no" };
      // Also if it is stopped already: a crash may have interrupted the stop.
      return { kind: "stop", reason: "unassigned" };
    case "closed":
      return { kind: "stop", reason: "closed" };
    case "assigned":
      if (state === "closed" && concerns(event, facts)) {
        return { kind: "resume", wake: "quiet" };
      }
      return { kind: "refresh", wake: "no" };
    case "reopened":
      return state === "closed" ? { kind: "resume", wake: "quiet" } : { kind: "refresh", wake: "no" };
    case "labelled":
      return { kind: "refresh", wake: "no" };
    case "pull_request_merged":
    case "pull_request_closed":
    case "review_submitted":
    case "review_commented":
    case "checks_completed":
      return { kind: "drop", reason: "of a pull request" };
    case "opened":
    case "edited":
    case "commented":
    case "comment_edited":
    case "comment_deleted": {
      const called = callsFor(event, facts.names) && facts.actorPermitted;
      if (state === "closed") return called ? { kind: "resume", wake: "now" } : { kind: "drop", reason: "stopped" };
      if (state === "paused") return { kind: "refresh", wake: "no" };
      return { kind: "refresh", wake: called ? "now" : "quiet" };
    }
    default:
      return event.kind satisfies never;
  }
}

/** Whether Relay was assigned or unassigned. */
function concerns({ assignee }: TrackerEvent, { names }: DecisionFacts): boolean {
  return assignee !== null && isAmong(assignee, names);
}

/** Whether the event mentions Relay. Only new comments count, not edits. */
export function callsFor(event: TrackerEvent, names: readonly string[]): boolean {
  if (event.kind !== "commented" && event.kind !== "opened" && event.kind !== "review_commented") return false;
  const { text } = event;
  return text !== null && !isAmong(event.actor, names) && names.some((name) => mentions(text, name));
}
