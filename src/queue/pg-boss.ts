import { PgBoss } from "pg-boss";
import { z } from "zod";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import type { Job, NewJob, Priority, Queue, QueueName } from "./queue.ts";

const PREFIX = "relay-";

/**
 * `key_strict_fifo`: the jobs of a key run in order, one at a time, also behind a retry.
 * `short`: at most one waiting job per key, which `upsert` moves.
 */
const POLICIES: Record<QueueName, "key_strict_fifo" | "short"> = { event: "key_strict_fifo", wake: "short" };

/** What is no passing trouble is tried so many times more, and then given up. */
const RETRIES = 8;

const OPTIONS = {
  notify: true,
  // Passing trouble, such as a tracker that is down, is waited out: 1 s, 2 s, 4 s, … 5 min.
  retryLimit: 1_000_000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 300,
  // A worker that died is noticed within about this long. The default expiry (15 min) would hand out a job whose
  // worker is alive and only slow.
  heartbeatSeconds: 10,
  expireInSeconds: 23 * 3600,
  // What waits is not dropped, whatever holds it up.
  retentionSeconds: 365 * 86_400,
};
/** Notifications do not tell of jobs whose time has come. */
const POLL_SECONDS = 1;
const GRACE_MS = 20_000;

/** Jobs in one statement. */
const MOST_AT_ONCE = 1_000;

const PRIORITIES: Record<Priority, number> = { direct: 10, normal: 0, background: -10 };

const dataSchema = z.object({ key: z.string(), subject: z.string() });

export type QueueConnection =
  | { connectionString: string }
  | { host: string; port?: number; user: string; database: string; password?: string };

/**
 * Jobs on pg-boss. A process that only sends runs no maintenance of its own; one that works does.
 */
export async function openQueue(
  connection: QueueConnection,
  { works, log }: { works: boolean; log: Log },
): Promise<Queue> {
  const boss = new PgBoss({
    // An address without a URL is the embedded server's, which speaks no TLS, whatever PGSSLMODE says.
    ...("connectionString" in connection ? connection : { ...connection, ssl: false }),
    application_name: "relay",
    max: works ? 10 : 2,
    schedule: false,
    supervise: works,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    useListenNotify: works,
  });
  boss.on("error", (error) => log.warn({ error: error.message }, "job engine"));
  boss.on("warning", (warning) => log.debug({ warning }, "job engine"));
  try {
    await answered(async () => {
      await boss.start();
      for (const name of ["event", "wake"] as const) {
        await boss.createQueue(PREFIX + name, { ...OPTIONS, policy: POLICIES[name] });
      }
    });
  } catch (error) {
    // Its timers would keep the program alive for ever.
    await boss.stop({ graceful: false }).catch(() => {});
    throw error;
  }
  const sendAll: Queue["sendAll"] = async (name, jobs, within) => {
    for (let from = 0; from < jobs.length; from += MOST_AT_ONCE) {
      const some = jobs.slice(from, from + MOST_AT_ONCE).map((job) => ({ ...asSent(job), data: dataOf(job) }));
      await answered(async () => await boss.insert(PREFIX + name, some, within ? { db: within } : {}));
    }
  };
  return {
    send: async (name, job, within) => await sendAll(name, [job], within),
    sendAll,
    debounce: async (name, job, at) => {
      const options = { ...asSent(job), startAfter: at };
      await answered(async () => await boss.upsert(PREFIX + name, dataOf(job), options));
    },
    work: async (name, concurrency, handler) => {
      for (let n = 0; n < concurrency; n += 1) await startWorker(boss, PREFIX + name, handler, log);
    },
    forget: async (name, key) => {
      await answered(async () => {
        const jobs = await boss.findJobs(PREFIX + name, { key });
        const idle = jobs.filter((job) => job.state !== "active").map((job) => job.id);
        if (idle.length > 0) await boss.deleteJob(PREFIX + name, idle);
      });
    },
    stop: async () => {
      await boss.stop({ graceful: works, timeout: GRACE_MS });
    },
  };
}

function asSent({ key, priority = "normal" }: NewJob) {
  return { singletonKey: key, priority: PRIORITIES[priority] };
}

function dataOf({ key, subject }: NewJob) {
  return { key, subject };
}

/** pg-boss has connections of its own, whose failures are the database's. */
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
 * One job at a time for each worker, so that a long job holds nobody up but its key. Without being told to look again,
 * pg-boss would wait for its next poll between two jobs of a backlog.
 */
async function startWorker(boss: PgBoss, queue: string, handler: (job: Job) => Promise<void>, log: Log): Promise<void> {
  const options = {
    batchSize: 1,
    perJobResults: true as const,
    includeMetadata: true as const,
    pollingIntervalSeconds: POLL_SECONDS,
    notifyPollingIntervalSeconds: POLL_SECONDS,
  };
  const worker: string = await boss.work(queue, options, async (batch: RawJob[]) => {
    const results = await Promise.all(
      batch.map(
        async ({ id, data, retryCount }) => await settle({ id, ...dataSchema.parse(data) }, retryCount, handler, log),
      ),
    );
    boss.notifyWorker(worker);
    return results;
  });
}

interface RawJob {
  id: string;
  data: unknown;
  retryCount: number;
}

/** A job never ends as failed: under `key_strict_fifo` the later jobs of its key would wait behind it for ever. */
async function settle(job: Job, retries: number, handler: (job: Job) => Promise<void>, log: Log) {
  try {
    await handler(job);
    return { id: job.id, status: "completed" as const };
  } catch (error) {
    const passing = error instanceof RelayError && error.retryable;
    const facts = { job: job.id, key: job.key, subject: job.subject, error: messageOf(error) };
    if (!passing && retries >= RETRIES) {
      log.error(facts, "job failed and is given up");
      return { id: job.id, status: "completed" as const };
    }
    log.error(facts, "job failed; it will be tried again");
    return { id: job.id, status: "failed" as const };
  }
}
