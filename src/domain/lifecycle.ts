/** The states of an issue (requirements, section 3). */
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
 * The events of an issue. `engine/state-machine.ts` defines the effect of each one in each state; the code that detects
 * an event passes it to `Context.transition`.
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
  "plan_unneeded",
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
  "pull_request_reopened",
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

/** A state in words, after “the issue is”. */
export const STATE_WORDS: Readonly<Record<IssueState, string>> = {
  pending_plan: "waiting until the discussion is quiet",
  planning: "being read",
  clarifying: "waiting for answers",
  awaiting_proceed: "waiting for a go-ahead for the spec",
  specifying: "getting its spec",
  waiting_confirmation: "waiting for a yes to its plan",
  queued: "waiting for a worker",
  in_progress: "being worked on",
  in_review: "waiting for a review of its request",
  done: "done",
  stuck: "stuck, and waiting for an answer",
  failed: "interrupted, and waiting for Relay's operator",
  paused: "paused",
  closed: "closed",
};
