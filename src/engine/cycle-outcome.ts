import type { LifecycleEvent } from "../domain/lifecycle.ts";

/** Times that the planner is asked again within a cycle (R-ACT-4). */
const REPLANS = 2;
/** Cycles in a row that failed, after which the circuit breaker opens: the issue is paused (R-ACT-4). */
const FAILED_CYCLES = 3;

/** What follows a round of actions; `round` counts from 0. */
export function afterRound(
  { failures, postponedMs }: { failures: readonly string[]; postponedMs: number | null },
  round: number,
): { kind: "done" | "replan" | "failed" } | { kind: "postpone"; ms: number } {
  if (postponedMs !== null) return { kind: "postpone", ms: postponedMs };
  if (failures.length === 0) return { kind: "done" };
  return { kind: round < REPLANS ? "replan" : "failed" };
}

/** The event that a cycle ends with; `failedCycles` are those in a row before it. */
export function endOfCycle(facts: {
  failed: boolean;
  failedCycles: number;
  wroteSpec: boolean;
  plansNext: boolean;
  openQuestions: boolean;
  commented: boolean;
}): LifecycleEvent {
  if (facts.failed) return facts.failedCycles + 1 >= FAILED_CYCLES ? "circuit_opened" : "cycle_failed";
  if (facts.wroteSpec) return facts.plansNext ? "spec_written" : "last_spec_written";
  if (facts.openQuestions) return "questions_asked";
  return facts.commented ? "go_ahead_asked" : "nothing_asked";
}
