import type { LimitKind, RunLimits } from "./limits.ts";
import type { Usage } from "./usage.ts";
import { NO_USAGE, addUsage } from "./usage.ts";

/** What a run has taken so far. */
export interface Tally {
  calls: number;
  usage: Usage;
  /** Null once a call had no known price. */
  costUsd: number | null;
}

export const EMPTY_TALLY: Tally = { calls: 0, usage: NO_USAGE, costUsd: 0 };

export function addCall(tally: Tally, usage: Usage, costUsd: number | null): Tally {
  return {
    calls: tally.calls + 1,
    usage: addUsage(tally.usage, usage),
    costUsd: tally.costUsd === null || costUsd === null ? null : tally.costUsd + costUsd,
  };
}

/** The limit that forbids another call, if any; the last call allowed may have gone over it by one answer. */
export function limitReached(tally: Tally, limits: RunLimits): LimitKind | null {
  if (tally.usage.input >= limits.inputTokens) return "input_tokens";
  if (tally.usage.output >= limits.outputTokens) return "output_tokens";
  if (tally.costUsd !== null && tally.costUsd >= limits.costUsd) return "cost";
  return null;
}
