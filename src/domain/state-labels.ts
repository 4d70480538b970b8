import { ISSUE_STATES, type IssueState } from "./lifecycle.ts";

/** Names of the labels that mirror a state (R-LIFE-5): settings. An empty one stands for no label. */
export interface StateLabels {
  in_progress: string;
  stuck: string;
  review: string;
  done: string;
}

export const STATE_LABELS: StateLabels = {
  in_progress: "relay:in-progress",
  stuck: "relay:stuck",
  review: "relay:review",
  done: "relay:done",
};

/**
 * Relay's labels that an issue in this state must have, and those that it must not have: by these names, or by others
 * that Relay gave it before. Other labels are never named.
 */
export function labelsFor(
  state: IssueState,
  names: StateLabels,
  before: readonly string[] = [],
): { add: string[]; remove: string[] } {
  const add = labelsOf(state, names);
  const own = new Set([...Object.values(names), ...before]);
  return { add, remove: [...own].filter((name) => name !== "" && !add.includes(name)) };
}

/** The labels of each state. */
export function labelsByState(names: StateLabels): Record<string, string[]> {
  return Object.fromEntries(ISSUE_STATES.map((state) => [state, labelsOf(state, names)]));
}

function labelsOf(state: IssueState, names: StateLabels): string[] {
  return labelOf(state, names).filter((name) => name !== "");
}

function labelOf(state: IssueState, names: StateLabels): string[] {
  switch (state) {
    case "queued":
    case "in_progress":
      return [names.in_progress];
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
