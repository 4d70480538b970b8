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
