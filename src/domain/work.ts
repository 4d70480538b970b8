/** Why a run is made: the plan, a review's wishes, or red checks on the branch (R-WORK-9). */
export const RUN_REASONS = ["plan", "review", "checks"] as const;
export type RunReason = (typeof RUN_REASONS)[number];

export const RUN_STATUSES = ["running", "done", "stuck", "failed", "cancelled"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** One execution of a task by a worker. A run that a crash cut off goes on under the same id. */
export interface Run {
  id: string;
  taskId: string;
  issueId: string;
  reason: RunReason;
  status: RunStatus;
  agent: string;
  /** The branch at the tracker, which the run's commits go to. */
  branch: string;
  /** The commit that it began with; null before it was known. */
  base: string | null;
  /** The newest commit of the branch that Relay made; null before the first. */
  head: string | null;
  /** Fresh runs of the agent so far. */
  iterations: number;
  usd: number;
  /** What it came to, for people; null while it runs. */
  detail: string | null;
  startedAt: Date;
  endedAt: Date | null;
}

/** The request that carries a task's branch: exactly one of a task (R-WORK-7). */
export interface TaskRequest {
  taskId: string;
  number: number;
  branch: string;
  base: string;
  url: string | null;
  state: "open" | "merged" | "closed";
}

export const LOG_KINDS = ["step", "said", "tool", "output", "check", "problem"] as const;
/** One line of a run's log, without secrets (R-WORK-9). */
export interface RunLogEntry {
  /** From 1, without holes. */
  seq: number;
  at: Date;
  /** From 1; 0 before the first. */
  iteration: number;
  kind: (typeof LOG_KINDS)[number];
  text: string;
}

/** What a command said about a working tree. */
export interface CheckResult {
  kind: "setup" | "check" | "test";
  command: string;
  outcome: "passed" | "failed" | "timeout" | "not run";
  /** Null where it did not end by itself. */
  code: number | null;
  seconds: number;
  /** The part that tells what failed, at most 8,000 characters, without secrets. */
  output: string;
}

/** A change that Relay did not let stand, and undid. */
export interface Undone {
  path: string;
  why: "blocked path" | "secret" | "test removed" | "too large" | "not a plain file";
  detail: string;
}

/** A file of the branch beside where it began. */
export interface ChangedFile {
  path: string;
  change: "added" | "modified" | "deleted";
  addedLines: number;
  removedLines: number;
}
