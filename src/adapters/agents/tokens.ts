import type { AgentTokens } from "../../domain/work.ts";

/** Counts as an agent reports them; missing ones are unknown. */
export type ReportedTokens = { [Name in keyof AgentTokens]?: number | undefined };

/** Adds reported counts to known ones; null until a prompt or an answer was counted. */
export function plusTokens(known: AgentTokens | null, reported: ReportedTokens | null | undefined): AgentTokens | null {
  if (reported?.input === undefined && reported?.output === undefined) return known;
  const sum = (name: keyof AgentTokens) => (known?.[name] ?? 0) + countOf(reported[name]);
  const input = sum("input");
  const output = sum("output");
  return {
    input,
    cachedInput: Math.min(sum("cachedInput"), input),
    cacheWrite: Math.min(sum("cacheWrite"), input),
    output,
    reasoning: Math.min(sum("reasoning"), output),
  };
}

/** The counts of agents that report tokens read from and written to the cache separately from the input. */
export function withCache({ input, cachedInput, cacheWrite, ...answer }: ReportedTokens): ReportedTokens {
  if (input === undefined) return { ...answer, cachedInput, cacheWrite };
  return { ...answer, input: input + countOf(cachedInput) + countOf(cacheWrite), cachedInput, cacheWrite };
}

function countOf(count: number | undefined): number {
  return count === undefined || !Number.isFinite(count) || count < 0 ? 0 : count;
}
