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
 * What can happen to an issue. `engine/machine.ts` says what each of them does in each state; whoever notices one hands
 * it to `Context.transition`.
 */
export const LIFECYCLE_EVENTS = [
  // A planner cycle
  "cycle_started",
  "spec_approved",
  "spec_written",
  "last_spec_written",
  "questions_asked",
  "go_ahead_asked",
  "nothing_asked",
  "cycle_failed",
  "circuit_opened",
  // The plan
  "plan_posted",
  "plan_failed",
  "plan_approved",
  "work_approved",
  "request_changed",
  "stop_requested",
  // A run of a coding agent
  "run_started",
  "run_stuck",
  "run_failed",
  "run_unneeded",
  "question_answered",
  "retry_requested",
  // The pull request
  "pull_request_opened",
  "changes_requested",
  "pull_request_merged",
  "pull_request_closed",
  // From outside
  "issue_closed",
  "bot_unassigned",
  "issue_resumed",
  "budget_used_up",
  "budget_renewed",
  "pause_requested",
  "resume_requested",
] as const;

export type LifecycleEvent = (typeof LIFECYCLE_EVENTS)[number];

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
