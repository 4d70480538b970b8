import { type Usage, NO_USAGE, addUsage } from "../../adapters/models/usage.ts";

export interface Cost {
  calls: number;
  usage: Usage;
  /** US dollars; null if a price is unknown. */
  costUsd: number | null;
}

/** The cost of a cycle's explorations so far. */
export interface Spending {
  /** Counts an exploration before it runs, as others may start meanwhile. */
  begin(): void;
  add(cost: Cost): void;
  /** Number of explorations started. */
  explorations(): number;
  /** US dollars; explorations without a known price count as zero. */
  exploreUsd(): number;
  /** The total, including the cycle's other costs. */
  with(cost: Cost): Cost;
}

export function createSpending(): Spending {
  let begun = 0;
  let dollars = 0;
  let total: Cost = { calls: 0, usage: NO_USAGE, costUsd: 0 };
  return {
    begin: () => void (begun += 1),
    add: (cost) => {
      dollars += cost.costUsd ?? 0;
      total = sum(total, cost);
    },
    explorations: () => begun,
    exploreUsd: () => dollars,
    with: (cost) => sum(total, cost),
  };
}

function sum(a: Cost, b: Cost): Cost {
  return {
    calls: a.calls + b.calls,
    usage: addUsage(a.usage, b.usage),
    costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
  };
}
