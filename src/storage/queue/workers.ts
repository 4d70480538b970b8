import type { PgBoss } from "pg-boss";
import { z } from "zod";
import { messageOf } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import type { Priority } from "../../lib/priority.ts";
import { postponeRetry } from "./due-times.ts";
import { FIRST_RANK, RANKS } from "./priorities.ts";
import type { Job } from "./queue.ts";
import { retryAfter } from "./retry.ts";
import { type Traces, tracesSchema } from "./run-job.ts";

/** Notifications do not cover jobs that become due. */
const POLL_SECONDS = 1;
/** `failures`: how often it failed; waiting, or a dead process, does not count. */
const dataSchema = tracesSchema.extend({ key: z.string(), subject: z.string(), failures: z.number().default(0) });

interface Served {
  /** That of the queue of pg-boss. */
  name: string;
  /** The least rank of jobs that are put back there. */
  leastRank: number | null;
  /** Whether the queue was stopped, and its jobs were given back; some may still run. */
  hasStopped: () => boolean;
}

export type RunJob = (job: Job & Traces & { rank: number }) => Promise<void>;

/**
 * One job at a time per worker, so that a long job blocks only its own key. Each priority in `apart` has one extra
 * worker that takes nothing more urgent, so that these jobs continue (one at a time) however many urgent ones arrive.
 */
export async function startWorkers(
  boss: PgBoss,
  queue: Served,
  concurrency: number,
  apart: readonly Priority[],
  handler: RunJob,
  log: Log,
): Promise<void> {
  for (let n = 0; n < concurrency; n += 1) await startWorker(boss, queue, FIRST_RANK, handler, log);
  for (const priority of apart) await startWorker(boss, queue, RANKS[priority], handler, log);
}

/** Unless asked to poll again, pg-boss would wait for its next poll between two jobs of a backlog. */
async function startWorker(boss: PgBoss, queue: Served, upTo: number, handler: RunJob, log: Log): Promise<void> {
  const options = {
    batchSize: 1,
    maxPriority: upTo,
    perJobResults: true as const,
    includeMetadata: true as const,
    pollingIntervalSeconds: POLL_SECONDS,
    notifyPollingIntervalSeconds: POLL_SECONDS,
  };
  const worker: string = await boss.work(queue.name, options, async (batch: RawJob[]) => {
    const results = await Promise.all(batch.map(async (raw) => await settle(boss, queue, raw, handler, log)));
    boss.notifyWorker(worker);
    return results;
  });
}

interface RawJob {
  id: string;
  data: unknown;
  priority: number;
  retryCount: number;
}

/** A job never ends as failed: under `key_strict_fifo` the later jobs of its key would wait for it forever. */
async function settle(boss: PgBoss, queue: Served, raw: RawJob, handler: RunJob, log: Log) {
  const { id, retryCount, priority } = raw;
  const { failures, ...sent } = dataSchema.parse(raw.data);
  const { key, subject } = sent;
  try {
    await handler({ id, ...sent, rank: priority });
    return { id, status: "completed" as const };
  } catch (error) {
    const facts = { job: id, key, subject, error: messageOf(error) };
    // The database was closed under it: its failure is none of the work's.
    if (queue.hasStopped()) {
      log.debug(facts, "job ended after its queue was stopped");
      return { id, status: "failed" as const };
    }
    const retry = retryAfter(error, { failures, retryCount });
    if (retry.kind === "give up") {
      log.error(facts, "job failed and is given up");
      return { id, status: "completed" as const };
    }
    log[retry.level](facts, retry.level === "debug" ? "job waits its turn" : "job failed; it will be tried again");
    const data = { ...sent, failures: retry.failures };
    await postpone(boss, queue, { id, retryCount, data }, retry.waitMs, log);
    return { id, status: "failed" as const };
  }
}

/**
 * Puts a job back for this long. It stays before the later jobs of its key, and the worker is free meanwhile. If this
 * fails, the job returns as if its process had died.
 */
async function postpone(
  boss: PgBoss,
  queue: Served,
  { id, retryCount, data }: { id: string; retryCount: number; data: z.infer<typeof dataSchema> },
  waitMs: number,
  log: Log,
): Promise<void> {
  try {
    await boss.fail(queue.name, { id, retryCount });
    await postponeRetry(boss.getDb(), queue.name, { id, data, leastRank: queue.leastRank }, waitMs);
  } catch (error) {
    log.warn({ job: id, error: messageOf(error) }, "job not postponed");
  }
}
