import type { IssueState } from "../../domain/lifecycle.ts";

/** What an issue does or waits for in a state. */
export const STATE_WORDS: Record<IssueState, string> = {
  pending_plan: "waits for quiet",
  planning: "reading",
  clarifying: "waits for answers",
  awaiting_proceed: "waits for the go-ahead",
  specifying: "writing the spec",
  waiting_confirmation: "waits for a yes",
  queued: "waits for a worker",
  in_progress: "at work",
  in_review: "in review",
  done: "done",
  stuck: "stuck",
  failed: "failed",
  paused: "paused",
  closed: "closed",
};

const SIZES: Record<string, string> = {
  L0: "a bug fix",
  L1: "a small feature",
  L2: "a medium feature",
  L3: "a large feature",
  L4: "a change of architecture",
};

/** What a spec of this complexity is for: ` for a bug fix (L0)`; empty if it is unknown. */
export function sizeText(complexity: string): string {
  const size = SIZES[complexity];
  return size === undefined ? "" : ` for ${size} (${complexity})`;
}

/** A coding agent's name for people; one that the settings give a command for has no name of its own. */
export function agentName(agent: string): string {
  return agent === "command" ? "the configured command" : agent;
}

/** `1 file`, `3 files`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
