import type { LimitKind, RunLimits } from "./limits.ts";

/** Tokens of one or more calls. */
export interface Usage {
  /** All tokens of the prompt: fresh, read from the provider's cache, and written to it. */
  input: number;
  /** Those of `input` that the provider's cache had. */
  cachedInput: number;
  /** Those of `input` that were written to the provider's cache. */
  cacheWrite: number;
  /** All tokens of the answer, those of reasoning included. */
  output: number;
  /** Those of `output` that were spent on reasoning, where the provider reports it. */
  reasoning: number;
  /** True where a provider reported no counts for some call, and Relay counted offline instead. */
  estimated: boolean;
}

export const NO_USAGE: Usage = {
  input: 0,
  cachedInput: 0,
  cacheWrite: 0,
  output: 0,
  reasoning: 0,
  estimated: false,
};

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cachedInput: a.cachedInput + b.cachedInput,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    estimated: a.estimated || b.estimated,
  };
}

/** What a run has used so far. */
export interface UsageTotal {
  calls: number;
  usage: Usage;
  /** Null once a call had no known price. */
  costUsd: number | null;
}

export const NOTHING_USED: UsageTotal = { calls: 0, usage: NO_USAGE, costUsd: 0 };

export function addCall(total: UsageTotal, usage: Usage, costUsd: number | null): UsageTotal {
  return {
    calls: total.calls + 1,
    usage: addUsage(total.usage, usage),
    costUsd: total.costUsd === null || costUsd === null ? null : total.costUsd + costUsd,
  };
}

/** The limit that forbids another call, if any; the last allowed call may have exceeded it by one answer. */
export function limitReached(total: UsageTotal, limits: RunLimits): LimitKind | null {
  if (total.usage.input >= limits.inputTokens) return "input_tokens";
  if (total.usage.output >= limits.outputTokens) return "output_tokens";
  if (total.costUsd !== null && total.costUsd >= limits.costUsd) return "cost";
  return null;
}
