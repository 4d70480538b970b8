import { RelayError } from "../lib/errors.ts";

/** Where an issue stands (requirements, section 3). */
export const ISSUE_STATES = [
  "pending_plan",
  "planning",
  "clarifying",
  "awaiting_proceed",
  "specifying",
  "waiting_confirmation",
  "queued",
  "in_progress",
  "in_review",
  "done",
  "stuck",
  "failed",
  "paused",
  "closed",
] as const;

export type IssueState = (typeof ISSUE_STATES)[number];

/**
 * The one table of allowed transitions (R-LIFE-1). `closed` and `paused` can be entered from anywhere
 * and are left by resuming, so they stand apart, in `canTransition`.
 *
 * A request may be merged at any time once it is open, also while more is done about it. In mode `spec` an issue is `done` once its spec is written; a later comment leads back to `planning`.
 */
const TRANSITIONS: Readonly<Record<Exclude<IssueState, "closed" | "paused">, readonly IssueState[]>> = {
  pending_plan: ["planning"],
  planning: ["pending_plan", "clarifying", "awaiting_proceed", "specifying", "waiting_confirmation", "queued", "done"],
  clarifying: ["planning"],
  awaiting_proceed: ["planning"],
  specifying: ["planning", "awaiting_proceed", "waiting_confirmation", "done"],
  waiting_confirmation: ["planning", "queued", "done"],
  queued: ["waiting_confirmation", "in_progress", "done"],
  in_progress: ["queued", "waiting_confirmation", "in_review", "stuck", "failed", "done"],
  in_review: ["planning", "queued", "in_progress", "done"],
  done: ["planning", "waiting_confirmation"],
  stuck: ["planning", "waiting_confirmation", "queued", "done"],
  failed: ["planning", "waiting_confirmation", "queued", "done"],
};

/** States in which Relay itself is at work; a crash or a pause in one of them goes back to the waiting state before it. */
const RESUMES_AS: Partial<Record<IssueState, IssueState>> = {
  planning: "pending_plan",
  specifying: "pending_plan",
  in_progress: "queued",
};

/** The state that a paused or closed issue goes on in when it is resumed (R-LIFE-2). */
export function resumeState(before: IssueState): IssueState {
  return RESUMES_AS[before] ?? before;
}

export function canTransition(from: IssueState, to: IssueState, resumesAs?: IssueState | null): boolean {
  if (from === to) return false;
  switch (from) {
    case "closed":
      return to === (resumesAs ?? "pending_plan");
    case "paused":
      return to === "closed" || to === (resumesAs ?? "pending_plan");
    default:
      return to === "closed" || to === "paused" || TRANSITIONS[from].includes(to);
  }
}

/** Throws `illegal_transition`, naming both states, unless the table allows the step (R-LIFE-1). */
export function checkTransition(issue: string, from: IssueState, to: IssueState, resumesAs?: IssueState | null): void {
  if (canTransition(from, to, resumesAs)) return;
  throw new RelayError("illegal_transition", `issue ${issue} cannot go from ${from} to ${to}`);
}

/** Names of the labels that mirror a state; configurable (R-LIFE-5). */
export interface StateLabels {
  inProgress: string;
  stuck: string;
  review: string;
  done: string;
}

export const STATE_LABELS: StateLabels = {
  inProgress: "relay:in-progress",
  stuck: "relay:stuck",
  review: "relay:review",
  done: "relay:done",
};

/** Which of Relay's labels an issue in this state carries, and which it must not. Other labels are never named. */
export function labelsFor(state: IssueState, names: StateLabels): { add: string[]; remove: string[] } {
  const add = labelOf(state, names);
  return { add, remove: Object.values(names).filter((name) => !add.includes(name)) };
}

function labelOf(state: IssueState, names: StateLabels): string[] {
  switch (state) {
    case "queued":
    case "in_progress":
      return [names.inProgress];
    case "stuck":
    case "failed":
    case "paused":
      return [names.stuck];
    case "in_review":
      return [names.review];
    case "done":
      return [names.done];
    case "pending_plan":
    case "planning":
    case "clarifying":
    case "awaiting_proceed":
    case "specifying":
    case "waiting_confirmation":
    case "closed":
      return [];
    default:
      return state satisfies never;
  }
}
