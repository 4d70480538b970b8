import { z } from "zod";
import { camelRow } from "./camel-row.ts";
import type { Db } from "./db.ts";

/** An amount that the database stores by name and labels (`figures`). */
export interface Figure {
  name: string;
  labels: string[];
  amount: number;
}

const figureRow = z.object({ name: z.string(), labels: z.array(z.string()), amount: z.number() });

/** How many rows one read adds up at most. The next read adds up the rest; each read counts all of them. */
const MOST_AT_ONCE = 20_000;

const ADD_UP = `
  with gone as (
    delete from figures_added where ctid = any (array(
      select ctid from figures_added limit ${MOST_AT_ONCE} for update skip locked))
    returning name, labels, amount)
  insert into figures as f select name, labels, sum(amount) from gone group by 1, 2 order by 1, 2
  on conflict (name, labels) do update set amount = f.amount + excluded.amount`;

/** All stored amounts, including what was added since the last read (R-OBS-3, R-SCALE-1). */
export async function readFigures(db: Db): Promise<Figure[]> {
  await db.execute(ADD_UP, []);
  return await db.query(
    figureRow,
    `select name, labels, sum(amount)::float8 as amount
     from (select * from figures union all select * from figures_added) f group by 1, 2 order by 1, 2`,
    [],
  );
}

const jobRow = z.object({ queue: z.string(), due: z.number(), running: z.number() });
export type JobCount = z.infer<typeof jobRow>;

/** Jobs of each queue that are due and that run, as the job engine counted them a few seconds ago. */
export async function countJobs(db: Db): Promise<JobCount[]> {
  return await db.query(
    jobRow,
    `select substr(name, 7) as queue, ready_count as due, active_count as running
     from pgboss.queue where name like 'relay-%' order by name`,
    [],
  );
}

const quotaRow = camelRow({
  quota: z.string(),
  requests: z.number(),
  remaining: z.number().nullable(),
  allowed: z.number().nullable(),
  blockedSeconds: z.number(),
});

export type KnownQuota = z.infer<typeof quotaRow>;

/** Requests to trackers with each set of credentials that was used within a day, and what is left of its limit. */
export async function listQuotas(db: Db): Promise<KnownQuota[]> {
  return await db.query(
    quotaRow,
    `select quota, requests::float8 as requests, case when resets_at > now() then remaining end as remaining, allowed,
            greatest(0, coalesce(extract(epoch from blocked_until - now()), 0))::float8 as blocked_seconds
     from tracker_quotas where updated_at > now() - interval '1 day' and (requests > 0 or remaining is not null)
     order by quota`,
    [],
  );
}

export interface SpentBudgets {
  spentUsd: number;
  stopped: { budget: string; issues: number }[];
}

/** US dollars spent this month, in UTC, and how many issues each budget stops now. */
export async function readBudgets(db: Db, unpricedPerMillion: number): Promise<SpentBudgets> {
  const { spent } = await db.one(
    z.object({ spent: z.number() }),
    `select coalesce(sum(usd + unpriced_tokens * $1::float8 / 1000000), 0)::float8 as spent from spending_days
     where day >= date_trunc('month', now() at time zone 'UTC')`,
    [unpricedPerMillion],
  );
  const stopped = await db.query(
    z.object({ budget: z.string(), issues: z.number() }),
    `select budget, count(*)::int as issues from budget_stops where ended_at is null group by budget`,
    [],
  );
  return { spentUsd: spent, stopped };
}

/** Queued, running and finished work. */
export interface WorkFigures {
  /** Tasks that wait for a worker, not for a person. */
  queued: number;
  /** Age of the oldest of them in seconds, by the database's clock; 0 without any. */
  queuedSeconds: number;
  /** Runs in progress; one whose worker died counts until another worker ends it. */
  running: number;
  /** Finished runs by outcome: their number and total seconds. */
  ended: { outcome: string; runs: number; seconds: number }[];
}

const endedRow = z.object({ outcome: z.string(), runs: z.number(), seconds: z.number() });

/** Counts tasks and runs for the metrics (R-OBS-3); for those that have ended, the database keeps sums. */
export async function countWork(db: Db): Promise<WorkFigures> {
  const now = await db.one(
    camelRow({ queued: z.number(), queuedSeconds: z.number(), running: z.number() }),
    `select count(*)::int as queued,
            greatest(0, coalesce(extract(epoch from now() - min(enqueued_at)), 0))::float8 as queued_seconds,
            (select count(*) from runs where status = 'running')::int as running
     from tasks where status = 'queued' and mode = 'implement'`,
    [],
  );
  const sql = `select outcome, runs::float8 as runs, seconds from run_totals order by outcome`;
  return { ...now, ended: await db.query(endedRow, sql, []) };
}
