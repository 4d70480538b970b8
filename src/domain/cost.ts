/** What was used for an issue, as far as its cost goes. */
interface Used {
  calls: number;
  agentRuns: number;
  /** Calls and runs without a known price. */
  unpricedCalls: number;
  /** Of the others. */
  costUsd: number;
}

/** US dollars; null where nothing that was used has a known price. */
export function knownCost({ calls, agentRuns, unpricedCalls, costUsd }: Used): number | null {
  return unpricedCalls > 0 && unpricedCalls >= calls + agentRuns ? null : costUsd;
}
