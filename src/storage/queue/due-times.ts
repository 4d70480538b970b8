import { z } from "zod";
import type { Job, SqlExecutor } from "./queue.ts";
import type { Traces } from "./run-job.ts";

/**
 * Sets when waiting jobs are due. pg-boss's calls for this (`update`, `upsert`) join its table with itself. The table
 * is mostly empty when the database takes its statistics; then the time of each call grows with the square of the
 * number of waiting jobs: seconds if thousands wait.
 */

/**
 * The job continues the span of the call that last moved it, and links the spans of earlier calls. Moving it to the
 * same time does not count. `$[last - 15 to last]` limits the links.
 */
const MOVED_DATA = `
  case when start_after = due.at then data else data || $3::jsonb || case
    when data ->> 'trace' <> $3::jsonb ->> 'trace' then jsonb_build_object('links', jsonb_path_query_array(
      coalesce(data -> 'links', '[]') || jsonb_build_array(data -> 'trace'), '$[last - 15 to last]'))
    else '{}' end end`;
const MOVE = `
  update pgboss.job
  set data = ${MOVED_DATA}, priority = greatest(priority, $4), start_after = due.at, keep_until = keep_until + (due.at - start_after)
  from (select coalesce($5::timestamptz, pgboss.job_now() + $6 * interval '1 millisecond') as at) due
  where name = $1 and coalesce(singleton_key, '') = $2 and state = 'created' and policy = 'short'
  returning id`;
const moved = z.array(z.object({ id: z.string() }));

/** Moves the one waiting job of a key, without lowering its priority; false if none waits. */
export async function moveWaiting(
  db: SqlExecutor,
  queue: string,
  job: Omit<Job, "id"> & Traces,
  priority: number,
  at: Date | number,
): Promise<boolean> {
  const due = typeof at === "number" ? [null, at] : [at.toISOString(), null];
  const { rows } = await db.executeSql(MOVE, [queue, job.key, JSON.stringify(job), priority, ...due]);
  return moved.parse(rows).length > 0;
}

const BRING_FORWARD = `
  update pgboss.job
  set start_after = least(start_after, due.at), priority = greatest(pgboss.job.priority, due.priority)
  from (select key, coalesce(at, pgboss.job_now()) as at, priority
        from unnest($2::text[], $3::timestamptz[], $4::integer[]) given (key, at, priority)) due
  where name = $1 and singleton_key = due.key and state = 'created' and policy = 'short'
    and (start_after > due.at or pgboss.job.priority < due.priority)`;

/** Makes the waiting jobs of these keys due at these times at the latest, with at least these priorities. */
export async function bringForward(
  db: SqlExecutor,
  queue: string,
  jobs: readonly { key: string; at: Date | null; priority: number }[],
): Promise<void> {
  await db.executeSql(BRING_FORWARD, [
    queue,
    jobs.map(({ key }) => key),
    jobs.map(({ at }) => at?.toISOString() ?? null),
    jobs.map(({ priority }) => priority),
  ]);
}

const POSTPONE = `
  update pgboss.job
  set data = coalesce($3::jsonb, data), priority = greatest(priority, $5::integer), start_after = pgboss.job_now() + $4 * interval '1 millisecond'
  where name = $1 and id = $2 and state = 'retry'`;

/** Sets when a job that was put back is retried; `data` replaces its old data. */
export async function postponeRetry(
  db: SqlExecutor,
  queue: string,
  { id, data, leastRank }: { id: string; data?: Record<string, unknown>; leastRank: number | null },
  waitMs: number,
): Promise<void> {
  await db.executeSql(POSTPONE, [queue, id, data === undefined ? null : JSON.stringify(data), waitMs, leastRank]);
}
