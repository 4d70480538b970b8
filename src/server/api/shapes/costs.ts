import { z } from "zod";
import type { IssueUsage } from "../../../storage/model-calls.ts";

export const usageSchema = z.object({
  calls: z.int(),
  agent_runs: z.int(),
  input_tokens: z.number(),
  cached_tokens: z.number(),
  output_tokens: z.number(),
});

/** US dollars; null where nothing that was used has a known price. */
export function knownCost({
  calls,
  agentRuns,
  unpricedCalls,
  costUsd,
}: Pick<IssueUsage, "calls" | "agentRuns" | "unpricedCalls" | "costUsd">): number | null {
  return unpricedCalls > 0 && unpricedCalls >= calls + agentRuns ? null : costUsd;
}
