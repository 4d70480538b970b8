import type { SqlExecutor } from "./queue.ts";
import type { Traces } from "./run-job.ts";

/**
 * Inserts jobs of several queues that are due at once, in one statement. pg-boss has a call for the jobs of a single
 * queue. Most of its cost is the same for one row as for many, and a webhook waits for it. A test compares the rows and
 * notifications of both. Like pg-boss, this inserts into the part of `pgboss.job` for all queues without a table of
 * their own.
 */
const INSERT = `
  with sent as (
    insert into pgboss.job_common (name, data, priority, singleton_key, policy, expire_seconds, deletion_seconds, keep_until,
      retry_limit, retry_delay, retry_backoff, retry_delay_max, dead_letter, heartbeat_seconds)
    select q.name, given.data, given.priority, given.key, q.policy, q.expire_seconds, q.deletion_seconds,
      pgboss.job_now() + q.retention_seconds * interval '1 second',
      q.retry_limit, q.retry_delay, q.retry_backoff, q.retry_delay_max, q.dead_letter, q.heartbeat_seconds
    from jsonb_to_recordset($1::jsonb) as given (queue text, key text, priority integer, data jsonb)
    -- As a question for each: a join prepares for many.
    cross join lateral (select * from pgboss.queue q where q.name = given.queue limit 1) q
    on conflict do nothing
    returning name)
  -- What is told twice in a transaction arrives once.
  select pg_notify('pgboss_' || left(encode(sha224('pgboss'), 'hex'), 24), name) from sent`;

interface DueNow {
  /** The queue's name in pg-boss. */
  queue: string;
  key: string;
  priority: number;
  data: { key: string; subject: string } & Traces;
}

export async function insertJobs(db: SqlExecutor, jobs: readonly DueNow[]): Promise<void> {
  await db.executeSql(INSERT, [JSON.stringify(jobs)]);
}
