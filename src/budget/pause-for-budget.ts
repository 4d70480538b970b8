import type { CycleOutcome } from "../domain/cycle.ts";
import type { Issue } from "../domain/issue.ts";
import { phrases } from "../i18n/phrases.ts";
import { RelayError, Postponed } from "../lib/errors.ts";
import type { BudgetName, UsedBudget } from "./budget.ts";
import { checkBudgets, type SpendingDeps } from "./spending.ts";
import { record } from "../storage/audit.ts";
import type { Context } from "../storage/context.ts";
import { type BudgetStop, endBudgetStop, findBudgetStop, saveBudgetStop, wasStopped } from "../storage/spending.ts";
import { type PostDeps, postOnce } from "../notify/post-once.ts";

type Deps = PostDeps & SpendingDeps & Context;

/**
 * Pauses an issue whose budget is used up (R-OBS-2), with one comment per budget window in the issue's language. Null
 * if the cycle may run. Amounts go to the audit log, not to the thread, which may be public.
 */
export async function stopForBudget(issue: Issue, workspaceId: string, deps: Deps): Promise<CycleOutcome | null> {
  const verdict = await checkBudgets(issue, workspaceId, deps);
  if (verdict.kind === "go") return null;
  const stop = stopOf(verdict.used);
  const { spentUsd, limitUsd } = stop;
  const why = `the budget ${stop.budget} (${stop.window}) is used up: $${spentUsd.toFixed(2)} of $${limitUsd.toFixed(2)}`;
  try {
    if (!(await wasStopped(deps.db, issue.id, stop))) {
      const words = wordsFor(issue, stop);
      await postOnce(issue, { key: `budget:${issue.id}:${stop.budget}:${stop.window}`, words, why }, deps);
    }
  } catch (error) {
    // Nothing is spent, and people are informed before the issue is paused.
    if (!(error instanceof RelayError) || error instanceof Postponed) throw error;
    return { failures: [], error, again: "after the wait" };
  }
  await deps.db.transaction(async (tx) => {
    await saveBudgetStop(tx, issue.id, stop, deps);
    await deps.transition(tx, issue.id, "budget_used_up", { why });
  });
  return { failures: [], error: null, again: null };
}

/**
 * What to do with a paused issue that is woken: resume if its budget window is over, keep waiting for that, or stay
 * paused until the operator resumes it.
 */
export async function afterBudgetStop(
  issue: Issue,
  deps: Context,
): Promise<{ kind: "resumed"; issue: Issue } | { kind: "wait"; until: Date } | { kind: "rest" }> {
  const stop = await findBudgetStop(deps.db, issue.id);
  if (stop === null || stop.resumesAt === null) return { kind: "rest" };
  if (stop.resumesAt > deps.clock.now()) return { kind: "wait", until: stop.resumesAt };
  return await deps.db.transaction(async (tx) => {
    await endBudgetStop(tx, issue.id, "window", deps.clock);
    const why = `a new window of the budget ${stop.budget} has begun`;
    await record(tx, { issueId: issue.id, actor: "relay", what: "budget.renewed", why }, deps);
    return { kind: "resumed", issue: (await deps.transition(tx, issue.id, "budget_renewed", { why })).issue };
  });
}

function stopOf({ budget, key, ends, limitUsd, spentUsd }: UsedBudget): BudgetStop {
  return { budget, window: key, resumesAt: ends, limitUsd, spentUsd };
}

const PHRASES = {
  issue: "budgetOfIssue",
  repository_day: "budgetOfDay",
  workspace_month: "budgetOfMonth",
} as const satisfies Record<BudgetName, string>;

function wordsFor(issue: Issue, { budget, resumesAt }: BudgetStop): string {
  const until = resumesAt === null ? "" : `${resumesAt.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return phrases("thread", issue.language)(PHRASES[budget], { until });
}
