import type { RelayError } from "../lib/errors.ts";
import type { Action } from "./action.ts";

/** One run of the planner for an issue. */
export interface Cycle {
  id: string;
  issueId: string;
  /** Counts the issue's cycles from 1. */
  number: number;
  planner: string;
  reasoning: string;
  status: "running" | "done" | "failed";
  startedAt: Date;
  endedAt: Date | null;
}

/** An action as stored before it is tried (R-ACT-5). */
export interface StoredAction {
  id: string;
  cycleId: string;
  issueId: string;
  /** 0 for the planner's first answer, 1 and 2 for its answers to failures (R-ACT-4). */
  round: number;
  position: number;
  action: Action;
  /** Unique forever; comments carry it in a hidden marker. */
  idempotencyKey: string;
  status: "pending" | "done" | "failed";
  attempts: number;
  outcome: unknown;
  error: string | null;
}

/** One line of the append-only record (R-ACT-7). */
export interface AuditEntry {
  id: string;
  issueId: string | null;
  at: Date;
  /** Login of a person, or `relay`. */
  actor: string;
  /** The event's name, e.g. `comment.posted`, `gap.closed`, `state.changed`. */
  what: string;
  why: string | null;
  before: unknown;
  after: unknown;
}

/** How a cycle ended: with all actions done, or with failures and the thrown error behind them, if any. */
export interface CycleOutcome {
  failures: string[];
  error: RelayError | null;
  /** When the issue needs another cycle without an event: after this many milliseconds, or the usual wait. */
  again: number | "after the wait" | null;
}
