import type { AgentTokens } from "../../domain/work.ts";
import type { CodingAgent } from "./agent.ts";

/**
 * The same agent with its dollars by the prices of its tokens, where it tells these alone (R-OBS-1). `priceOf` gives null
 * for a model whose price is not known: nothing is made up.
 */
export function pricedAgent(agent: CodingAgent, priceOf: (tokens: AgentTokens) => number | null): CodingAgent {
  return {
    ...agent,
    run: async (request) => {
      const report = await agent.run(request);
      if (report.usd !== null || report.tokens === null) return report;
      return { ...report, usd: priceOf(report.tokens) };
    },
  };
}
