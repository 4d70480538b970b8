import type { ExecutionReport } from "./execute.ts";

/** Times that the planner is asked again within a cycle (R-ACT-4). */
const REINVOCATIONS = 2;
/** Cycles in a row with failures after which the issue is paused (R-ACT-4). */
const FAILED_CYCLES = 3;

export type Verdict =
  /** Everything is done: the cycle has succeeded, and the row of failed cycles ends. */
  | { kind: "go_on" }
  /** Run the same round again after so many milliseconds. */
  | { kind: "postpone"; ms: number }
  /** Ask the planner for another round, with these failures. */
  | { kind: "replan"; failures: string[] }
  /** The cycle has failed; `failedCycles` in a row now. The next one is told the failures. */
  | { kind: "failed"; failures: string[]; failedCycles: number }
  /** The same, and once too often: pause the issue and tell the people. */
  | { kind: "pause"; failures: string[]; failedCycles: number };

/** The circuit breaker (R-ACT-4): what follows from the report of one round. Pure. */
export function breakerDecision(
  { failures, postponedMs }: Pick<ExecutionReport, "failures" | "postponedMs">,
  /** `round` counts from 0; `failedCycles` are those in a row before this cycle. */
  { round, failedCycles }: { round: number; failedCycles: number },
): Verdict {
  if (postponedMs !== null) return { kind: "postpone", ms: postponedMs };
  if (failures.length === 0) return { kind: "go_on" };
  if (round < REINVOCATIONS) return { kind: "replan", failures };
  const kind = failedCycles + 1 >= FAILED_CYCLES ? "pause" : "failed";
  return { kind, failures, failedCycles: failedCycles + 1 };
}
