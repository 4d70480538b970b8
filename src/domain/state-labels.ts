import type { IssueState } from "./lifecycle.ts";

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

/**
 * Relay's labels that an issue in this state must have, and those that it must not have. Other labels are never named.
 */
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
