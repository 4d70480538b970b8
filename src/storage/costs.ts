import { z } from "zod";
import { PROVIDERS } from "../domain/issue.ts";
import type { Sight } from "../domain/sight.ts";
import { camelRow } from "./camel-row.ts";
import type { Db } from "./db.ts";
import { seenBy } from "./sight.ts";

const cost = {
  day: z.string(),
  stage: z.string(),
  model: z.string(),
  repository: z.string(),
  usd: z.number(),
  calls: z.number(),
  unpriced: z.number(),
};
const costRow = camelRow(cost);
const timedRow = camelRow({ ...cost, p50Ms: z.number(), p95Ms: z.number() });

/** The cost of the calls of one day, stage, model and repository. */
export type DayCosts = z.infer<typeof costRow>;

/** The same with the duration of the calls. */
export type TimedCosts = z.infer<typeof timedRow>;

const TIMES = `,
  percentile_cont(0.5) within group (order by latency_ms)::float8 as p50_ms,
  percentile_cont(0.95) within group (order by latency_ms)::float8 as p95_ms`;

/** SQL: the costs of calls since a day, in these repositories or all; read from the index `llm_evals_calls` alone. */
function costsSql(times: typeof TIMES | ""): string {
  return `select of.*, to_char(of.date, 'YYYY-MM-DD') as day, coalesce(r.external_project_id, '') as repository
     from (
       select (created_at at time zone 'UTC')::date as date, stage, model, repository_id,
              coalesce(sum(cost_usd), 0)::float8 as usd, count(*)::int as calls,
              count(*) filter (where cost_usd is null)::int as unpriced ${times}
       from llm_evals
       where kind = 'call' and created_at >= $1 and ($2::bigint[] is null or repository_id = any($2::bigint[]))
       group by 1, 2, 3, 4) of left join repositories r on r.id = of.repository_id
     order by of.date, of.stage, of.model, repository`;
}

/** The costs of calls since a day, oldest first, in these repositories or all; `day` is in UTC, as `2026-11-23`. */
export async function costsByDay(db: Db, since: Date, repositories: readonly string[] | null): Promise<DayCosts[]> {
  return await db.query(costRow, costsSql(""), [since, repositories]);
}

/** The same with the duration of the calls, which takes longer to compute. */
export async function timedCosts(db: Db, since: Date, repositories: readonly string[] | null): Promise<TimedCosts[]> {
  return await db.query(timedRow, costsSql(TIMES), [since, repositories]);
}

const latencyRow = camelRow({
  stage: z.string().nullable(),
  day: z.string().nullable(),
  calls: z.number(),
  p50Ms: z.number(),
  p95Ms: z.number(),
});

/**
 * How long the calls of a stage took on a day, in milliseconds. A null stage stands for all stages, a null day for the
 * whole time.
 */
export type Latency = z.infer<typeof latencyRow>;

/**
 * How long calls since a time took, in these repositories or all: exact quantiles for each stage, for each day, and for
 * both.
 */
export async function latencies(db: Db, since: Date, repositories: readonly string[] | null): Promise<Latency[]> {
  return await db.query(
    latencyRow,
    `select stage, to_char(date, 'YYYY-MM-DD') as day, count(*)::int as calls,
            percentile_cont(0.5) within group (order by latency_ms)::float8 as p50_ms,
            percentile_cont(0.95) within group (order by latency_ms)::float8 as p95_ms
     from (select stage, latency_ms, (created_at at time zone 'UTC')::date as date from llm_evals
           where kind = 'call' and created_at >= $1
             and ($2::bigint[] is null or repository_id = any($2::bigint[]))) calls
     group by cube (stage, date) having count(*) > 0 order by stage nulls first, date nulls first`,
    [since, repositories],
  );
}

const specCallsRow = camelRow({
  provider: z.enum(PROVIDERS),
  externalProjectId: z.string(),
  externalIssueId: z.string(),
  version: z.number(),
  calls: z.number(),
  specs: z.number(),
  p50: z.number(),
  p95: z.number(),
});

/**
 * A spec and the number of calls for it since its previous version, or since the issue's beginning; with the number of
 * all specs, and the quantiles of their calls.
 */
export type SpecCalls = z.infer<typeof specCallsRow>;

/** The specs written since a time that took the most calls, of the issues that the viewer may see. */
export async function callsPerSpec(db: Db, since: Date, sight: Sight, most: number): Promise<SpecCalls[]> {
  const { where, parameters } = seenBy(sight, 3);
  return await db.query(
    specCallsRow,
    `with counted as materialized (
       select p.id, p.issue_id, p.version, (
         select count(*) from llm_evals e
         where e.issue_id = p.issue_id and e.kind = 'call' and e.created_at <= p.created_at
           and e.created_at > coalesce((
             select created_at from specs where issue_id = p.issue_id and version = p.version - 1), '-infinity')) as calls
       from specs p join issues s on s.id = p.issue_id where p.created_at >= $1 and ${where}
     ), spread as (
       select count(*)::int as specs, percentile_cont(0.5) within group (order by calls)::float8 as p50,
              percentile_cont(0.95) within group (order by calls)::float8 as p95 from counted
     ), most as (
       select * from counted order by calls desc, id desc limit $2
     )
     select i.provider, r.external_project_id, s.external_issue_id, m.version, m.calls::int as calls, spread.*
     from most m join issues s on s.id = m.issue_id join repositories r on r.id = s.repository_id
       join integrations i on i.id = r.integration_id, spread
     order by m.calls desc, m.id desc`,
    [since, most, ...parameters],
  );
}

/** Specs written, requests opened and money spent since a time, in these repositories or all. */
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

/** Filters for calls; null matches any. `repository` is a name, empty for calls without one. */
export interface CallsOf {
  since: Date;
  until: Date | null;
  stage: string | null;
  model: string | null;
  repository: string | null;
}

/** The most expensive of these calls, in these repositories or all. */
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
