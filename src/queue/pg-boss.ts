import { PgBoss } from "pg-boss";
import { z } from "zod";
import type { Log } from "../lib/log.ts";
import type { Job, Queue, QueueName } from "./queue.ts";

const PREFIX = "relay-";

/**
 * `key_strict_fifo`: the jobs of a key run in order, one at a time, also behind a retry.
 * `short`: at most one waiting job per key, which `upsert` moves.
 */
const POLICIES: Record<QueueName, "key_strict_fifo" | "short"> = { event: "key_strict_fifo", wake: "short" };

/** A worker that died is noticed within this many seconds. */
const HEARTBEAT_SECONDS = 10;
const RETRIES = 8;
const GRACE_MS = 20_000;

const dataSchema = z.object({ key: z.string(), subject: z.string() });

export type QueueConnection = { connectionString: string } | { host: string; user: string; database: string };

/**
 * Jobs on pg-boss. A process that only sends runs no maintenance of its own; one that works does.
 */
export async function openQueue(
  connection: QueueConnection,
  { works, log }: { works: boolean; log: Log },
): Promise<Queue> {
  const boss = new PgBoss({
    ...connection,
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
  await boss.start();
  for (const name of ["event", "wake"] as const) {
    await boss.createQueue(PREFIX + name, {
      policy: POLICIES[name],
      notify: true,
      retryLimit: RETRIES,
      retryDelay: 1,
      retryBackoff: true,
      heartbeatSeconds: HEARTBEAT_SECONDS,
    });
  }
  return {
    send: async (name, job, within) => {
      await boss.send(PREFIX + name, { ...job }, { singletonKey: job.key, ...(within ? { db: within } : {}) });
    },
    debounce: async (name, job, at) => {
      await boss.upsert(PREFIX + name, { ...job }, { singletonKey: job.key, startAfter: at });
    },
    work: async (name, concurrency, handler) => {
      // Notifications alone would leave a backlog waiting for the next poll: hence batches, bursts and a short poll.
      const options = {
        batchSize: concurrency,
        perJobResults: true as const,
        burstWhenBatchFull: true,
        pollingIntervalSeconds: 1,
        notifyPollingIntervalSeconds: 1,
      };
      await boss.work(PREFIX + name, options, async (jobs: { id: string; data: unknown }[]) =>
        Promise.all(jobs.map(async (job) => await settle({ id: job.id, ...dataSchema.parse(job.data) }, handler, log))),
      );
    },
    stop: async () => {
      await boss.stop({ graceful: works, timeout: GRACE_MS });
    },
  };
}

async function settle(job: Job, handler: (job: Job) => Promise<void>, log: Log) {
  try {
    await handler(job);
    return { id: job.id, status: "completed" as const };
  } catch (error) {
    log.error({ job: job.id, key: job.key, error: String(error) }, "job failed; it will be tried again");
    return { id: job.id, status: "failed" as const };
  }
}
