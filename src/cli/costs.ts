import { knownCost } from "../server/api/shapes/costs.ts";
import type { IssueUsage } from "../storage/model-calls.ts";

type Usage = Pick<IssueUsage, "calls" | "agentRuns" | "unpricedCalls" | "costUsd" | "inputTokens" | "outputTokens">;

/** The cost of an issue on one line, or null where no model was asked. What has no known price is listed separately. */
export function costText(usage: Usage): string | null {
  const { calls, agentRuns } = usage;
  if (calls + agentRuns === 0) return null;
  const what = [calls > 0 && `${calls} call(s)`, agentRuns > 0 && `${agentRuns} agent run(s)`].filter(Boolean);
  const tokens = `${what.join(", ")}, ${usage.inputTokens} tokens in, ${usage.outputTokens} out`;
  const cost = knownCost(usage);
  if (cost === null) return `cost unknown: no price for the model (${tokens})`;
  const more = usage.unpricedCalls > 0 ? `, and ${usage.unpricedCalls} of unknown price` : "";
  return `cost ${dollars(cost)}${more} (${tokens})`;
}

/** US dollars as text: cents, and more digits for smaller amounts. */
export function dollars(amount: number): string {
  return `$${amount === 0 || amount >= 0.01 ? amount.toFixed(2) : amount.toPrecision(2)}`;
}
