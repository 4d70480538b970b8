import type { Config } from "../config/config.ts";

/** The scope of a budget (R-OBS-2). */
export type BudgetName = "issue" | "repository_day" | "workspace_month";

/** US dollars; days and months are those of UTC. */
export interface Budgets {
  issue: number | "off";
  repositoryDay: number | "off";
  workspaceMonth: number | "off";
  /** The cost counted for a million tokens of a model without a known price. */
  unpricedPerMillion: number;
}

/** The budgets in force. */
export function budgetsOf({ budgets }: Pick<Config, "budgets">): Budgets {
  return {
    issue: budgets.issue_usd,
    repositoryDay: budgets.repository_day_usd,
    workspaceMonth: budgets.workspace_month_usd,
    unpricedPerMillion: budgets.unpriced_usd_per_million,
  };
}

/** The period of a budget. */
export interface BudgetWindow {
  budget: BudgetName;
  /** The day, the month, or the ordinal of the window of the issue's own budget. */
  key: string;
  /** Null: from the beginning. */
  since: Date | null;
  /** When the budget renews by itself; null if never. */
  ends: Date | null;
  limitUsd: number;
}

export interface UsedBudget extends BudgetWindow {
  spentUsd: number;
}

export type BudgetVerdict =
  /** `restUsd` may be spent; null without a budget. */
  { kind: "go"; restUsd: number | null } | { kind: "stop"; used: UsedBudget };

/**
 * The budget windows that apply to an issue now. `lifts` are stops of this issue that the operator lifted: each renews
 * the issue's own budget, or exempts it from the repository's or the workspace's until that window ends.
 */
export function windowsOf(
  budgets: Budgets,
  lifts: readonly { budget: BudgetName; window: string; endedAt: Date }[],
  now: Date,
): BudgetWindow[] {
  const own = lifts.filter((lift) => lift.budget === "issue").map((lift) => lift.endedAt.getTime());
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const date = now.toISOString();
  const all: (Omit<BudgetWindow, "limitUsd"> & { limit: number | "off" })[] = [
    {
      budget: "issue",
      key: String(own.length + 1),
      since: own.length === 0 ? null : new Date(Math.max(...own)),
      ends: null,
      limit: budgets.issue,
    },
    {
      budget: "workspace_month",
      key: date.slice(0, 7),
      since: new Date(Date.UTC(year, month)),
      ends: new Date(Date.UTC(year, month + 1)),
      limit: budgets.workspaceMonth,
    },
    {
      budget: "repository_day",
      key: date.slice(0, 10),
      since: new Date(Date.UTC(year, month, day)),
      ends: new Date(Date.UTC(year, month, day + 1)),
      limit: budgets.repositoryDay,
    },
  ];
  return all.flatMap(({ limit, ...window }) => {
    const lifted = lifts.some((lift) => lift.budget === window.budget && lift.window === window.key);
    return limit === "off" || lifted ? [] : [{ ...window, limitUsd: limit }];
  });
}

/** Whether anything may be spent, and how much; if several budgets are used up, the one that lasts longest. */
export function judgeBudgets(budgets: readonly UsedBudget[]): BudgetVerdict {
  const used = budgets
    .filter((budget) => budget.spentUsd >= budget.limitUsd)
    .toSorted((a, b) => (b.ends?.getTime() ?? Infinity) - (a.ends?.getTime() ?? Infinity))[0];
  if (used !== undefined) return { kind: "stop", used };
  if (budgets.length === 0) return { kind: "go", restUsd: null };
  return { kind: "go", restUsd: Math.min(...budgets.map((budget) => budget.limitUsd - budget.spentUsd)) };
}
