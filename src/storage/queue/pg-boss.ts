import { PgBoss, type QueueResult } from "pg-boss";
import { z } from "zod";
import { RelayError, messageOf } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import { bringForward, moveWaiting, postponeRetry } from "./due-times.ts";
import { RESERVED, leastRankPutBack, rankOf } from "./priorities.ts";
import { type NewJob, type Queue, type QueueName, type SqlExecutor, QUEUES } from "./queue.ts";
import { LONGEST_RELEASE_MS, waitAfterRelease } from "./retry.ts";
import { type Traces, runJob, tracesOf } from "./run-job.ts";
import { steadyClock } from "./steady-clock.ts";
import { type RunJob, startWorkers } from "./workers.ts";

const PREFIX = "relay-";

/**
 * `key_strict_fifo`: the jobs of a key run in order, one at a time, even after a retry.
 * `short`: at most one waiting job per key, which `upsert` moves.
 * `exclusive`: at most one job per key, waiting or running.
 */
const POLICIES = {
  event: "key_strict_fifo",
  acknowledge: "short",
  wake: "short",
  task: "short",
  status: "short",
  upkeep: "exclusive",
  compare: "short",
  preflight: "short",
  notice: "short",
  say: "short",
} as const satisfies Record<QueueName, string>;

const OPTIONS = {
  notify: true,
  // For jobs whose process died; after a failure, the worker sets the wait. A job that kills its process each time
  // leaves room for the others.
  retryLimit: 1_000_000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: LONGEST_RELEASE_MS / 1_000,
  // A dead worker is detected within about this time. The default expiry (15 min) would hand out a job whose worker is
  // alive and only slow.
  heartbeatSeconds: 10,
  expireInSeconds: 23 * 3600,
  // Waiting jobs are never dropped, however long they wait.
  retentionSeconds: 365 * 86_400,
  // Finished work is recorded elsewhere.
  deleteAfterSeconds: 3600,
};
const GRACE_MS = 20_000;
/** Connections of a process that works; one more listens for notifications. */
const CONNECTIONS = 4;
/** How many jobs one statement inserts. */
const MOST_AT_ONCE = 1_000;

const TAKEN = `
  select id, singleton_key as key, data ->> 'subject' as subject, retry_count as "retryCount" from pgboss.job
  where name = $1 and state = 'active' and started_on < clock_timestamp() - $2 * interval '1 millisecond'`;
const KEYS = `
  select distinct singleton_key as key from pgboss.job where name = $1 and state in ('created', 'retry', 'active')
    and ($2::text[] is null or singleton_key = any($2::text[]))`;
const DUE = `
  select count(*)::int as count from pgboss.job where name = any($1::text[]) and (state = 'active'
    or (state in ('created', 'retry') and start_after <= clock_timestamp() + $2 * interval '1 millisecond'))`;
const dueRows = z.tuple([z.object({ count: z.number() })]);
const keyRows = z.array(z.object({ key: z.string() }));
const takenRows = z.array(z.object({ id: z.string(), key: z.string(), subject: z.string(), retryCount: z.number() }));

export type QueueConnection =
  | { connectionString: string }
  | { host: string; port?: number; user: string; database: string; password?: string };

/**
 * Jobs on pg-boss. A process that only sends runs no maintenance of its own; one that works does.
 */
export async function openQueue(
  connection: QueueConnection,
  { works, log, graceMs = GRACE_MS }: { works: boolean; log: Log; graceMs?: number },
): Promise<Queue> {
  /** Jobs that run here. */
  let running = 0;
  let stops = false;
  let hasStopped = false;
  const boss = new PgBoss({
    // An address without a URL is the embedded server's, which has no TLS, regardless of PGSSLMODE.
    ...("connectionString" in connection ? connection : { ...connection, ssl: false }),
    application_name: "relay",
    clock: steadyClock,
    max: works ? CONNECTIONS : 1,
    schedule: works,
    supervise: works,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    maintenanceIntervalSeconds: 600,
    useListenNotify: works,
  });
  // While it stops, it fails to store the ends of jobs that had no more time.
  boss.on("error", (error) => log[stops ? "debug" : "warn"]({ error: error.message }, "job engine"));
  boss.on("warning", (warning) => log.debug({ warning }, "job engine"));
  try {
    await answered(async () => {
      await boss.start();
      await makeQueues(boss);
    });
  } catch (error) {
    // Its timers would keep the process alive forever.
    await boss.stop({ graceful: false }).catch(() => {});
    throw error;
  }
  const sendAll: Queue["sendAll"] = async (name, jobs, within) => {
    for (let from = 0; from < jobs.length; from += MOST_AT_ONCE) {
      const some = jobs.slice(from, from + MOST_AT_ONCE).map((job) => ({
        ...asSent(job),
        ...(job.delayMs === undefined ? {} : { startAfter: job.delayMs / 1_000 }),
        data: dataOf(job),
      }));
      await answered(async () => await boss.insert(PREFIX + name, some, within ? { db: within } : {}));
    }
  };
  return {
    send: async (name, job, within) => await sendAll(name, [job], within),
    sendAll,
    sendTogether: async (jobs, within) => {
      const due = jobs.map(({ queue, ...job }) => {
        return { queue: PREFIX + queue, key: job.key, priority: rankOf(job), data: dataOf(job) };
      });
      await answered(async () => await insertJobs(within ?? boss.getDb(), due));
    },
    debounce: async (name, job, at, within) => {
      const db = within ?? boss.getDb();
      const move = async () => await moveWaiting(db, PREFIX + name, dataOf(job), rankOf(job), at);
      const sent = { ...asSent(job), startAfter: typeof at === "number" ? at / 1_000 : at, data: dataOf(job) };
      await answered(async () => {
        if (await move()) return;
        const added = await boss.insert(PREFIX + name, [sent], { db, returnId: true });
        // Another process added it meanwhile.
        if (added === null || added.length === 0) await move();
      });
    },
    ensure: async (name, jobs) => {
      for (let from = 0; from < jobs.length; from += MOST_AT_ONCE) {
        const some = jobs.slice(from, from + MOST_AT_ONCE);
        const due = some.map((job) => ({
          key: job.key,
          priority: rankOf(job),
          at: job.at === "now" ? null : job.at,
        }));
        const sent = some.map((job) => {
          return { ...asSent(job), ...(job.at === "now" ? {} : { startAfter: job.at }), data: dataOf(job) };
        });
        await answered(async () => {
          await bringForward(boss.getDb(), PREFIX + name, due);
          await boss.insert(PREFIX + name, sent);
        });
      }
    },
    repeat: async (name, job, cron) => {
      await answered(
        async () => await boss.schedule(PREFIX + name, cron, dataOf({ ...job, trace: null }), asSent(job)),
      );
    },
    work: async (name, concurrency, handler) => {
      const run: RunJob = async (job) => {
        running += 1;
        await runJob(name, job, handler).finally(() => (running -= 1));
      };
      const served = { name: PREFIX + name, leastRank: leastRankPutBack(name), hasStopped: () => hasStopped };
      await startWorkers(boss, served, concurrency, RESERVED[name] ?? [], run, log);
    },
    listKeys: async (name, among) =>
      await answered(async () => {
        const { rows } = await boss.getDb().executeSql(KEYS, [PREFIX + name, among ?? null]);
        return keyRows.parse(rows).map(({ key }) => key);
      }),
    countDue: async (queues, withinMs) =>
      await answered(async () => {
        const names = queues.map((name) => PREFIX + name);
        const { rows } = await boss.getDb().executeSql(DUE, [names, withinMs]);
        return dueRows.parse(rows)[0].count;
      }),
    listWaiting: async (name, key) =>
      await answered(async () => {
        const jobs = await boss.findJobs(PREFIX + name, { key, queued: true });
        return jobs.map((job) => job.id);
      }),
    remove: async (name, ids) => {
      if (ids.length > 0) await answered(async () => await boss.deleteJob(PREFIX + name, ids));
    },
    forget: async (name, key) => {
      await answered(async () => {
        const jobs = await boss.findJobs(PREFIX + name, { key });
        const idle = jobs.filter((job) => job.state !== "active").map((job) => job.id);
        if (idle.length > 0) await boss.deleteJob(PREFIX + name, idle);
      });
    },
    listTaken: async (name, sinceMs) =>
      await answered(async () => {
        const { rows } = await boss.getDb().executeSql(TAKEN, [PREFIX + name, sinceMs]);
        return takenRows.parse(rows);
      }),
    giveBack: async (name, { id, retryCount }) => {
      await answered(async () => {
        await boss.fail(PREFIX + name, { id, retryCount });
        await postponeRetry(
          boss.getDb(),
          PREFIX + name,
          { id, leastRank: leastRankPutBack(name) },
          waitAfterRelease(retryCount),
        );
      });
    },
    stop: async () => {
      stops = true;
      await boss.stop({ graceful: works, timeout: graceMs });
      hasStopped = true;
      if (running > 0) log.warn({ jobs: running }, "jobs had no more time; the next process takes them again");
    },
  };
}

/** Creates the queues; those of an earlier version get this version's options. */
async function makeQueues(boss: PgBoss): Promise<void> {
  const known = await boss.getQueues(QUEUES.map((name) => PREFIX + name));
  for (const name of QUEUES) {
    const queue = known.find((one) => one.name === PREFIX + name);
    if (!queue) await boss.createQueue(PREFIX + name, { ...OPTIONS, policy: POLICIES[name] });
    else if (isOutdated(queue)) await boss.updateQueue(PREFIX + name, OPTIONS);
  }
}

function isOutdated(queue: QueueResult): boolean {
  return queue.deleteAfterSeconds !== OPTIONS.deleteAfterSeconds || queue.retryDelayMax !== OPTIONS.retryDelayMax;
}

function asSent(job: NewJob): { singletonKey: string; priority: number } {
  return { singletonKey: job.key, priority: rankOf(job) };
}

function dataOf({ key, subject, ...job }: NewJob) {
  return { key, subject, ...tracesOf(job) };
}

/** pg-boss has its own connections; their failures count as failures of the database. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof RelayError) throw cause;
    throw new RelayError("unavailable", `the job queue in the database does not answer: ${messageOf(cause)}`, {
      cause,
    });
  }
}

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

async function insertJobs(db: SqlExecutor, jobs: readonly DueNow[]): Promise<void> {
  await db.executeSql(INSERT, [JSON.stringify(jobs)]);
}
