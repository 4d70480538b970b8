import type { AgentTokens } from "../../domain/work.ts";

/** Counts as an agent tells them; what it leaves out is not known to be there. */
export type ReportedTokens = { [Name in keyof AgentTokens]?: number | undefined };

/** Adds what was told to what is known; nothing is made up: null until a prompt or an answer was counted. */
export function plusTokens(known: AgentTokens | null, told: ReportedTokens | null | undefined): AgentTokens | null {
  if (told?.input === undefined && told?.output === undefined) return known;
  const sum = (name: keyof AgentTokens) => (known?.[name] ?? 0) + countOf(told[name]);
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

/** Of agents that count what the provider's cache had, and what was written to it, beside the rest of a prompt. */
export function withCache({ input, cachedInput, cacheWrite, ...answer }: ReportedTokens): ReportedTokens {
  if (input === undefined) return { ...answer, cachedInput, cacheWrite };
  return { ...answer, input: input + countOf(cachedInput) + countOf(cacheWrite), cachedInput, cacheWrite };
}

function countOf(told: number | undefined): number {
  return told === undefined || !Number.isFinite(told) || told < 0 ? 0 : told;
}
