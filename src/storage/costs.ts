import { z } from "zod";
import { camelRow } from "./camel-row.ts";
import type { Db } from "./db.ts";

const costRow = camelRow({
  day: z.string(),
  stage: z.string(),
  model: z.string(),
  repository: z.string(),
  usd: z.number(),
  calls: z.number(),
  unpriced: z.number(),
  p50Ms: z.number(),
  p95Ms: z.number(),
});

/** What the calls of one day, stage, model and repository cost, and how long they took. */
export type DayCosts = z.infer<typeof costRow>;

/** The costs of calls since a day, oldest first, in these repositories or all; `day` is in UTC, as `2026-11-23`. */
export async function costsByDay(db: Db, since: Date, repositories: readonly string[] | null): Promise<DayCosts[]> {
  return await db.query(
    costRow,
    `select to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD') as day, e.stage, e.model,
            coalesce(r.external_project_id, '') as repository,
            coalesce(sum(e.cost_usd), 0)::float8 as usd, count(*)::int as calls,
            count(*) filter (where e.cost_usd is null)::int as unpriced,
            percentile_cont(0.5) within group (order by e.latency_ms)::float8 as p50_ms,
            percentile_cont(0.95) within group (order by e.latency_ms)::float8 as p95_ms
     from llm_evals e left join repositories r on r.id = e.repository_id
     where e.kind = 'call' and e.created_at >= $1 and ($2::bigint[] is null or e.repository_id = any($2::bigint[]))
     group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
    [since, repositories],
  );
}

/** What was written, opened and spent since a time, in these repositories or all. */
export async function usedSince(
  db: Db,
  since: Date,
  repositories: readonly string[] | null,
): Promise<{ specs: number; requests: number; usd: number }> {
  const here = `($2::bigint[] is null or issue_id in (select id from issues where repository_id = any($2::bigint[])))`;
  return await db.one(
    z.object({ specs: z.number(), requests: z.number(), usd: z.number() }),
    `select (select count(*)::int from specs where created_at >= $1 and ${here}) as specs,
            (select count(*)::int from audit_log where what = 'request.opened' and at >= $1 and ${here}) as requests,
            (select coalesce(sum(cost_usd), 0)::float8 from llm_evals where created_at >= $1 and kind = 'call'
              and ($2::bigint[] is null or repository_id = any($2::bigint[]))) as usd`,
    [since, repositories],
  );
}

const listedRow = camelRow({
  id: z.string(),
  stage: z.string(),
  model: z.string(),
  repository: z.string(),
  status: z.string().nullable(),
  usd: z.number().nullable(),
  ms: z.number(),
  at: z.date(),
});

/** A call as lists show it. */
export type ListedCall = z.infer<typeof listedRow>;

/** Which calls are wanted; null is any. `repository` is a name, empty for calls of none. */
export interface CallsOf {
  since: Date;
  until: Date | null;
  stage: string | null;
  model: string | null;
  repository: string | null;
}

/** The dearest calls of these, in these repositories or all. */
export async function listDearest(
  db: Db,
  of: CallsOf,
  repositories: readonly string[] | null,
  most: number,
): Promise<ListedCall[]> {
  return await db.query(
    listedRow,
    `select e.id, e.stage, e.model, coalesce(r.external_project_id, '') as repository, e.status,
            e.cost_usd::float8 as usd, e.latency_ms::float8 as ms, e.created_at as at
     from llm_evals e left join repositories r on r.id = e.repository_id
     where e.kind = 'call' and e.created_at >= $1 and ($2::timestamptz is null or e.created_at < $2)
       and ($3::text is null or e.stage = $3) and ($4::text is null or e.model = $4)
       and ($5::text is null or coalesce(r.external_project_id, '') = $5)
       and ($6::bigint[] is null or e.repository_id = any($6::bigint[]))
     order by e.cost_usd desc nulls last, e.id desc limit $7`,
    [of.since, of.until, of.stage, of.model, of.repository, repositories, most],
  );
}
