import { camelRow } from "./camel-row.ts";
import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Db } from "./db.ts";

/** The scope of a sum of costs. */
export type Spender = { issue: string } | { repository: string } | { workspace: string };

const spentRow = z.object({ spent: z.number() });

/**
 * US dollars spent on model calls since then. Calls without a known price count `unpricedPerMillion` dollars per
 * million tokens. For a workspace, whole days in UTC are counted, from sums that the database keeps (R-SCALE-1).
 */
export async function spentUsd(
  db: Db,
  spender: Spender,
  since: Date | null,
  unpricedPerMillion: number,
): Promise<number> {
  if ("workspace" in spender) {
    const { spent } = await db.one(
      spentRow,
      `select coalesce(sum(usd + unpriced_tokens * $3::float8 / 1000000), 0)::float8 as spent from spending_days
       where workspace_id = $1 and day >= coalesce(($2::timestamptz at time zone 'UTC')::date, '-infinity')`,
      [spender.workspace, since, unpricedPerMillion],
    );
    return spent;
  }
  const [of, id] = "issue" in spender ? ["issue_id = $1", spender.issue] : ["repository_id = $1", spender.repository];
  const { spent } = await db.one(
    spentRow,
    `select coalesce(sum(coalesce(cost_usd,
              (coalesce(input_tokens, 0) + coalesce(output_tokens, 0)) * $3::float8 / 1000000)), 0)::float8 as spent
     from llm_evals where kind = 'call' and ${of} and ($2::timestamptz is null or created_at >= $2)`,
    [id, since, unpricedPerMillion],
  );
  return spent;
}

const budget = z.enum(["issue", "repository_day", "workspace_month"]);
export const stopRow = z
  .object({
    budget,
    budget_window: z.string(),
    resumes_at: z.date().nullable(),
    limit_usd: z.number(),
    spent_usd: z.number(),
  })
  .transform((row) => ({
    budget: row.budget,
    window: row.budget_window,
    resumesAt: row.resumes_at,
    limitUsd: row.limit_usd,
    spentUsd: row.spent_usd,
  }));

/** A budget that stopped an issue. */
export type BudgetStop = z.infer<typeof stopRow>;

export const STOP_COLUMNS = `budget, budget_window, resumes_at, limit_usd::float8 as limit_usd, spent_usd::float8 as spent_usd`;

/** The budget that currently stops an issue. */
export async function findBudgetStop(db: Db, issueId: string): Promise<BudgetStop | null> {
  return await db.maybeOne(
    stopRow,
    `select ${STOP_COLUMNS} from budget_stops
     where issue_id = $1 and ended_at is null order by id desc limit 1`,
    [issueId],
  );
}

/** Whether this window of a budget has stopped the issue before. */
export async function wasStopped(
  db: Db,
  issueId: string,
  stop: Pick<BudgetStop, "budget" | "window">,
): Promise<boolean> {
  const found = await db.maybeOne(
    z.object({ id: z.string() }),
    `select id from budget_stops where issue_id = $1 and budget = $2 and budget_window = $3`,
    [issueId, stop.budget, stop.window],
  );
  return found !== null;
}

/** Stores one row per window, even if it stops the issue again. */
export async function saveBudgetStop(
  db: Db,
  issueId: string,
  stop: BudgetStop,
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<void> {
  await db.execute(
    `insert into budget_stops (id, issue_id, budget, budget_window, limit_usd, spent_usd, stopped_at, resumes_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (issue_id, budget, budget_window) do update set
       limit_usd = excluded.limit_usd, spent_usd = excluded.spent_usd, stopped_at = excluded.stopped_at,
       resumes_at = excluded.resumes_at, ended_at = null, ended_by = null`,
    [ids.next(), issueId, stop.budget, stop.window, stop.limitUsd, stop.spentUsd, clock.now(), stop.resumesAt],
  );
}

/**
 * Ends an issue's stop: the operator lifts it, the window is over, or the operator's own pause replaces it. Lifting
 * also covers a stop that such a pause had replaced.
 */
export async function endBudgetStop(
  db: Db,
  issueId: string,
  by: "operator" | "window" | "held",
  clock: Clock,
): Promise<void> {
  await db.execute(
    `update budget_stops set ended_at = $3, ended_by = $2
     where issue_id = $1 and (ended_at is null or ($2 = 'operator' and ended_by = 'held'))`,
    [issueId, by, clock.now()],
  );
}

const liftRow = z
  .object({ budget, budget_window: z.string(), ended_at: z.date() })
  .transform((row) => ({ budget: row.budget, window: row.budget_window, endedAt: row.ended_at }));

/** The stops of an issue that the operator lifted. */
export async function listLifts(db: Db, issueId: string): Promise<z.infer<typeof liftRow>[]> {
  return await db.query(
    liftRow,
    `select budget, budget_window, ended_at from budget_stops where issue_id = $1 and ended_by = 'operator' order by id`,
    [issueId],
  );
}

/** Issues stopped by a budget until a known time. */
export async function listDueStops(db: Db): Promise<{ issueId: string; resumesAt: Date }[]> {
  return await db.query(
    camelRow({ issueId: z.string(), resumesAt: z.date() }),
    `select s.issue_id, s.resumes_at from budget_stops s join issues i on i.id = s.issue_id
     where s.ended_at is null and s.resumes_at is not null and i.state = 'paused' order by s.id`,
    [],
  );
}
