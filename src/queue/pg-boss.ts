import { randomBytes } from "node:crypto";
import { PgBoss } from "pg-boss";
import { z } from "zod";
import { sleep } from "../lib/clock.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Ids } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import type { FailedJob, Job, Queue, QueueDefinitions, QueueKind, SqlExecutor } from "./queue.ts";

/** Apart from others that use pg-boss in the same database. */
const SCHEMA = "relay_jobs";

/**
 * `key_strict_fifo`: the jobs of a key run in order, one at a time, also behind a retry.
 * `short`: at most one waiting job per key, which `upsert` moves.
 */
const POLICIES: Record<QueueKind, string> = { in_order: "key_strict_fifo", alarm: "short" };

const OPTIONS = {
  notify: true,
  // 1 s, 2 s, 4 s, … 5 min: an outage of an hour is survived.
  retryLimit: 20,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 300,
  // A worker that died is noticed within about this long. The default expiry (15 min) would hand out a job whose
  // worker is alive and only slow.
  heartbeatSeconds: 10,
  expireInSeconds: 23 * 3600,
  // What waits is not dropped, whatever holds it up; what failed is kept for people to look at.
  retentionSeconds: 365 * 86_400,
  deleteAfterSeconds: 14 * 86_400,
};

/** Notifications do not tell of jobs whose time has come, nor of a successor that another process set free. */
const POLL_SECONDS = 1;
const GRACE_MS = 20_000;
const MOST_FAILED = 500;

const dataSchema = z.object({ key: z.string(), subject: z.string() });
const idRow = z.object({ id: z.string(), state: z.string() });
const commandResult = z.object({ affected: z.number() });
const failedRow = z.object({
  id: z.string(),
  data: dataSchema,
  attempts: z.number(),
  failed_at: z.date(),
  reason: z.string().nullable(),
});

export type QueueConnection =
  | { connectionString: string }
  | { host: string; port?: number; user: string; database: string; password?: string };

/**
 * Jobs on pg-boss. A process that only sends runs no maintenance of its own; one that works does.
 * Throws `unavailable` when the database does not answer.
 */
export async function openQueue<const Definitions extends QueueDefinitions>(
  definitions: Definitions,
  connection: QueueConnection,
  { works, log, ids }: { works: boolean; log: Log; ids: Ids },
): Promise<Queue<Definitions>> {
  const boss = new PgBoss({
    ...("connectionString" in connection ? connection : { ...connection, ssl: false }),
    schema: SCHEMA,
    application_name: "relay",
    max: works ? 10 : 2,
    schedule: false,
    supervise: works,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    useListenNotify: works,
  });
  boss.on("error", (error) => log.warn({ error: messageOf(error) }, "job engine"));
  boss.on("warning", (warning) => log.debug({ warning }, "job engine"));
  try {
    await boss.start();
    await ensureQueues(boss, definitions);
  } catch (cause) {
    await boss.stop({ graceful: false }).catch(() => {});
    throw new RelayError("unavailable", `the job queue cannot be opened: ${messageOf(cause)}`, { cause });
  }

  const rowsOf = async <T>(row: z.ZodType<T>, sql: string, parameters: unknown[], within?: SqlExecutor) => {
    const { rows } = await (within ?? boss.getDb()).executeSql(sql, parameters);
    return z.array(row).parse(rows);
  };
  return {
    send: async (queue, { key, subject }, { within, startAfter } = {}) => {
      await boss.send(
        queue,
        { key, subject },
        {
          id: orderedUuid(ids),
          singletonKey: key,
          ...(startAfter ? { startAfter } : {}),
          ...(within ? { db: within } : {}),
        },
      );
    },
    debounce: async (queue, { key, subject }, at, { within } = {}) => {
      const options = { singletonKey: key, startAfter: at, ...(within ? { db: within } : {}) };
      await boss.upsert(queue, { key, subject }, options);
    },
    cancel: async (queue, key, { within } = {}) => {
      const found = await rowsOf(
        idRow,
        `select id, state::text from ${SCHEMA}.job
         where name = $1 and singleton_key = $2 and state in ('created', 'retry', 'failed')`,
        [queue, key],
        within,
      );
      const options = within ? { db: within } : {};
      const failed = found.filter((job) => job.state === "failed").map((job) => job.id);
      const waiting = found.filter((job) => job.state !== "failed").map((job) => job.id);
      if (failed.length > 0) await boss.deleteJob(queue, failed, options);
      if (waiting.length > 0) await boss.cancel(queue, waiting, options);
      return found.length;
    },
    work: async (queue, concurrency, handler) => {
      for (let n = 0; n < concurrency; n += 1) await startWorker(boss, queue, handler, log);
    },
    failed: async (queue) => {
      const rows = await rowsOf(
        failedRow,
        `select id, data, retry_count + 1 as attempts, completed_on as failed_at,
           coalesce(output ->> 'message', output -> 'value' ->> 'message') as reason
         from ${SCHEMA}.job where name = $1 and state = 'failed' order by completed_on limit ${MOST_FAILED}`,
        [queue],
      );
      return rows.map((row): FailedJob => ({
        id: row.id,
        key: row.data.key,
        subject: row.data.subject,
        attempts: row.attempts,
        failedAt: row.failed_at,
        reason: row.reason ?? "it did not say why",
      }));
    },
    retry: async (queue, id) => commandResult.parse(await boss.retry(queue, id)).affected > 0,
    stop: async () => await stop(boss, Object.keys(definitions)),
  };
}

/** Makes what is missing and brings the rest to today's options, with one question where all is well. */
async function ensureQueues(boss: PgBoss, definitions: QueueDefinitions): Promise<void> {
  const known = new Map((await boss.getQueues(Object.keys(definitions))).map((queue) => [queue.name, queue]));
  for (const [name, kind] of Object.entries(definitions)) {
    const queue = known.get(name);
    if (queue === undefined) await boss.createQueue(name, { ...OPTIONS, policy: POLICIES[kind] });
    else if (!isUpToDate(queue)) await boss.updateQueue(name, OPTIONS);
  }
}

function isUpToDate(queue: object): boolean {
  const actual = new Map<string, unknown>(Object.entries(queue));
  return Object.entries(OPTIONS).every(([name, value]) => actual.get(name) === value);
}

/**
 * One job at a time for each worker, so that a long job holds nobody up but its key. Without being told to look again,
 * pg-boss would wait for its next poll between two jobs of a backlog.
 */
async function startWorker(
  boss: PgBoss,
  queue: string,
  handler: (job: Job, signal: AbortSignal) => Promise<void>,
  log: Log,
): Promise<void> {
  const options = { batchSize: 1, pollingIntervalSeconds: POLL_SECONDS, notifyPollingIntervalSeconds: POLL_SECONDS };
  const worker: string = await boss.work(queue, options, async (batch: RawJob[]) => {
    for (const { id, data, signal } of batch) {
      try {
        await handler({ id, ...dataSchema.parse(data) }, signal);
      } catch (error) {
        log.error({ queue, job: id, data, error: messageOf(error) }, "job failed; it will be tried again");
        throw error;
      } finally {
        boss.notifyWorker(worker);
      }
    }
  });
}

interface RawJob {
  id: string;
  data: unknown;
  signal: AbortSignal;
}

async function stop(boss: PgBoss, queues: string[]): Promise<void> {
  const idle = new AbortController();
  const drained = Promise.all(queues.map(async (queue) => await boss.offWork(queue, { wait: true })));
  const patience = sleep(GRACE_MS, idle.signal).catch(() => {});
  await Promise.race([drained, patience]);
  idle.abort();
  await boss.stop({ graceful: false });
}

/** Jobs of one transaction share their time; their ids then decide, which pg-boss itself would draw at random. */
function orderedUuid(ids: Ids): string {
  const hex = BigInt(ids.next()).toString(16).padStart(16, "0") + randomBytes(8).toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
