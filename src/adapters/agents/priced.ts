import type { AgentTokens } from "../../domain/work.ts";
import type { CodingAgent } from "./agent.ts";

/**
 * The same agent, with dollars from token prices if it reports tokens only (R-OBS-1). `priceOf` returns
 * null for a model without a known price: Relay invents no numbers.
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
