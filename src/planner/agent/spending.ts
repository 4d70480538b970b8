import { type Usage, NO_USAGE, addUsage } from "../../adapters/models/usage.ts";

export interface Cost {
  calls: number;
  usage: Usage;
  /** US dollars; null where a price is not known. */
  costUsd: number | null;
}

/** What the explorations of one cycle have taken so far. */
export interface Spending {
  /** Counts an exploration before it runs: others may begin meanwhile. */
  begin(): void;
  add(cost: Cost): void;
  /** Those begun. */
  explorations(): number;
  /** US dollars; explorations without a known price count nothing. */
  exploreUsd(): number;
  /** All of it, together with what else the cycle took. */
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
