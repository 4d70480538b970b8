import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { ModelCall } from "../adapters/models/model.ts";
import type { Db } from "../storage/db.ts";
import { listLifts, spentUsd } from "../storage/spending.ts";
import {
  type BudgetVerdict,
  type BudgetWindow,
  type Budgets,
  type UsedBudget,
  judgeBudgets,
  windowsOf,
} from "./budget.ts";
import type { Notices } from "../notify/notices/tell.ts";
import { recordCall } from "./record-call.ts";

/** How agents that work on an issue learn and report costs. */
export interface IssueSpending {
  /** For `onCall`: stores the call with its cost (R-OBS-1). */
  onCall: (call: ModelCall) => Promise<void>;
  /**
   * US dollars that may be spent now, for `limits.costUsd` of the next run; 0 when nothing is left, null where no
   * budget is on. Ask before each run: the calls of one are counted before the next.
   */
  restUsd: () => Promise<number | null>;
}

export interface SpendingDeps {
  db: Db;
  clock: Clock;
  ids: Ids;
  budgets: Budgets;
  /** Tells teams how much of the month's budget is spent; absent where nobody is told. */
  notices?: Pick<Notices, "spent"> | undefined;
}

interface SpendingIssue {
  id: string;
  repositoryId: string;
}

/**
 * Whether money may be spent on an issue now (R-OBS-2). Calls in progress for other issues are not counted yet:
 * concurrent cycles may exceed a shared budget, each by at most its own remainder.
 */
export async function checkBudgets(
  issue: SpendingIssue,
  workspaceId: string,
  { db, clock, budgets, notices }: SpendingDeps,
): Promise<BudgetVerdict> {
  const used: UsedBudget[] = [];
  for (const window of windowsOf(budgets, await listLifts(db, issue.id), clock.now())) {
    const spender = spenderOf(window, issue, workspaceId);
    const one = { ...window, spentUsd: await spentUsd(db, spender, window.since, budgets.unpricedPerMillion) };
    used.push(one);
    if (one.budget === "workspace_month") await notices?.spent(db, one);
  }
  return judgeBudgets(used);
}

/** The sink and the remaining budget of one issue. */
export function spendingOn(issue: SpendingIssue, workspaceId: string, deps: SpendingDeps): IssueSpending {
  return {
    onCall: recordCall(deps.db, { issueId: issue.id }, deps),
    restUsd: async () => {
      const verdict = await checkBudgets(issue, workspaceId, deps);
      return verdict.kind === "stop" ? 0 : verdict.restUsd;
    },
  };
}

function spenderOf({ budget }: BudgetWindow, issue: SpendingIssue, workspaceId: string) {
  switch (budget) {
    case "issue":
      return { issue: issue.id };
    case "repository_day":
      return { repository: issue.repositoryId };
    case "workspace_month":
      return { workspace: workspaceId };
    default:
      return budget satisfies never;
  }
}
