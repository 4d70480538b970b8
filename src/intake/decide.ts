import type { TrackerEvent } from "../domain/event.ts";
import { mentions } from "../domain/event.ts";
import type { IssueState } from "../domain/lifecycle.ts";

/** When the planner may run after an event: at once, after the quiet wait, or not because of this event. */
export type Wake = "now" | "quiet" | "no";

/** What an event means for an issue (R-LIFE-2, R-LIFE-3, R-IN-4). */
export type Decision =
  | { kind: "drop"; reason: string }
  | { kind: "engage"; wake: Wake }
  | { kind: "refresh"; wake: Wake }
  | { kind: "resume"; wake: Wake }
  | { kind: "stop"; reason: "closed" | "unassigned" };

export interface DecisionFacts {
  bot: string;
  /** The stored state; null when Relay is not engaged in the issue. */
  state: IssueState | null;
  /** Whether the actor may call Relay by a mention. */
  actorPermitted: boolean;
}

/** Decides without looking anything up; the caller knows the facts. */
export function decide(event: TrackerEvent, facts: DecisionFacts): Decision {
  if (same(event.actor, facts.bot)) return { kind: "drop", reason: "Relay's own doing" };
  const decision = facts.state === null ? decideNew(event, facts) : decideTracked(event, facts, facts.state);
  // Other bots are context, never a signal.
  if (event.actorIsBot && "wake" in decision && isSpeech(event)) {
    const stopped = facts.state === null || facts.state === "closed";
    return stopped ? { kind: "drop", reason: "another bot" } : { kind: "refresh", wake: "no" };
  }
  return decision;
}

function decideNew(event: TrackerEvent, facts: DecisionFacts): Decision {
  if (event.kind === "assigned" && event.assignee !== null && same(event.assignee, facts.bot)) {
    return { kind: "engage", wake: "quiet" };
  }
  if (callsFor(event, facts.bot)) {
    return facts.actorPermitted
      ? { kind: "engage", wake: "now" }
      : { kind: "drop", reason: "mention without permission" };
  }
  return { kind: "drop", reason: "not engaged" };
}

function decideTracked(event: TrackerEvent, facts: DecisionFacts, state: IssueState): Decision {
  switch (event.kind) {
    case "unassigned":
      if (event.assignee === null || !same(event.assignee, facts.bot)) return { kind: "refresh", wake: "no" };
      return state === "closed" ? { kind: "drop", reason: "already stopped" } : { kind: "stop", reason: "unassigned" };
    case "closed":
      return state === "closed" ? { kind: "drop", reason: "already stopped" } : { kind: "stop", reason: "closed" };
    case "assigned":
      if (state === "closed" && event.assignee !== null && same(event.assignee, facts.bot)) {
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
      const called = callsFor(event, facts.bot) && facts.actorPermitted;
      if (state === "closed") return called ? { kind: "resume", wake: "now" } : { kind: "drop", reason: "stopped" };
      if (state === "paused") return { kind: "refresh", wake: "no" };
      return { kind: "refresh", wake: called ? "now" : "quiet" };
    }
    default:
      return event.kind satisfies never;
  }
}

function isSpeech(event: TrackerEvent): boolean {
  return event.kind === "commented" || event.kind === "comment_edited" || event.kind === "comment_deleted";
}

/** Whether somebody calls Relay by name. Only new words call: an edit of an old comment does not call again. */
export function callsFor(event: TrackerEvent, bot: string): boolean {
  if (event.kind !== "commented" && event.kind !== "opened") return false;
  return event.text !== null && !same(event.actor, bot) && mentions(event.text, bot);
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
