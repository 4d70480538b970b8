import type { SpecFacts } from "./facts.ts";

/**
 * What is left of the facts where nothing is to be built: what was decided. What the issue asked for is told where the
 * problem is, and is no case, no place and no bound of any work.
 */
export function withoutWork(facts: SpecFacts): SpecFacts {
  if (!facts.isDeclined) return facts;
  const { decisions } = facts.heard;
  return {
    ...facts,
    criteria: [],
    requests: [],
    assumptions: [],
    bounds: { inside: [], outside: [], unchanged: [] },
    heard: {
      wishes: [],
      bounds: [],
      stays: [],
      decisions: decisions.filter(({ message }) => message !== null),
      tried: [],
      cases: [],
      facts: [],
      hearsay: [],
    },
    places: [],
    docs: [],
    tests: [],
    wished: new Map(),
    put: [],
    calls: [],
  };
}
