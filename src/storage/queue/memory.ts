import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { z } from "zod";
import { messageOf } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import type { Connecting } from "../db.ts";
import { FIRST_RANK, RANKS, RESERVED, leastRankPutBack, rankOf } from "./priorities.ts";
import type { Job, NewJob, Queue, QueueName, SqlExecutor } from "./queue.ts";
import { FIRST_BACKOFF_MS, retryAfter, waitAfterRelease } from "./retry.ts";
import { type Traces, runJob, tracesOf, tracesSchema } from "./run-job.ts";

interface MemoryJob extends Job, Traces {
  priority: number;
  /** Milliseconds since 1970. */
  startAfter: number;
  /** Null while it waits. */
  takenAt: number | null;
  retryCount: number;
  failures: number;
}

interface Worker {
  queue: QueueName;
  /** Takes no jobs of a higher priority. */
  upTo: number;
  isBusy: boolean;
  handler: (job: Job) => Promise<void>;
}

export interface MemoryQueue extends Queue {
  /** Resolves when no job is due or running, and every committed job has arrived here. */
  drain(): Promise<void>;
}

const notified = z.object({
  queue: z.enum(["event", "acknowledge", "wake", "task", "status", "upkeep", "compare", "preflight", "notice", "say"]),
  job: z.json(),
  moves: z.boolean(),
});
const jobSchema = tracesSchema.extend({
  key: z.string(),
  subject: z.string(),
  priority: z.number(),
  delayMs: z.number(),
});

/**
 * A queue for one process that keeps its jobs in memory: nothing polls, so that tests do not wait. Jobs that are sent
 * in a transaction arrive as notifications of its commit. Jobs do not survive the process, and `repeat` does nothing.
 */
export async function openMemoryQueue(
  connection: Connecting,
  { log, firstBackoffMs = FIRST_BACKOFF_MS }: { log: Log; firstBackoffMs?: number },
): Promise<MemoryQueue> {
  const jobs = new Map<QueueName, MemoryJob[]>();
  const jobsOf = (name: QueueName) => jobs.get(name) ?? [];
  const workers: Worker[] = [];
  const running = new Set<Promise<void>>();
  const channel = `relay_jobs_${randomUUID().replaceAll("-", "")}`;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  /**
   * The job that keeps another one with its key from being added: for `upkeep` one that waits or runs, for other queues
   * one that waits for its first run; none for `event`.
   */
  const existing = (name: QueueName, key: string) =>
    name === "event"
      ? undefined
      : jobsOf(name).find((job) => job.key === key && (name === "upkeep" || (!job.takenAt && job.retryCount === 0)));

  const add = (name: QueueName, { delayMs, ...job }: z.infer<typeof jobSchema>, startAfter = Date.now() + delayMs) => {
    if (existing(name, job.key)) return;
    jobs.set(name, [
      ...jobsOf(name),
      { ...job, id: randomUUID(), startAfter, takenAt: null, retryCount: 0, failures: 0 },
    ]);
    runDue();
  };

  const move = (name: QueueName, job: z.infer<typeof jobSchema>, startAfter?: number) => {
    const earlier = existing(name, job.key);
    remove(name, (one) => one === earlier);
    const links = [...(earlier?.links ?? []), ...(earlier?.trace === undefined ? [] : [earlier.trace])];
    const priority = Math.max(job.priority, earlier?.priority ?? job.priority);
    add(name, { ...job, priority, ...(links.length > 0 && { links }) }, startAfter);
  };

  const nextFor = ({ queue, upTo }: Worker, now: number) => {
    // The jobs of one key run in the order in which they were sent, even after a retry; in other queues any order is
    // fine.
    const open = jobsOf(queue).filter(
      (job, at, all) => queue !== "event" || all.findIndex(({ key }) => key === job.key) === at,
    );
    return open
      .filter((job) => job.takenAt === null && job.startAfter <= now && job.priority <= upTo)
      .toSorted((one, other) => other.priority - one.priority)[0];
  };

  const remove = (name: QueueName, isRemoved: (job: MemoryJob) => boolean) => {
    jobs.set(
      name,
      jobsOf(name).filter((job) => !isRemoved(job)),
    );
    runDue();
  };

  const putBack = (name: QueueName, job: MemoryJob, waitMs: number) => {
    job.priority = Math.max(job.priority, leastRankPutBack(name) ?? job.priority);
    job.takenAt = null;
    job.retryCount += 1;
    job.startAfter = Date.now() + waitMs;
  };

  const run = async (worker: Worker, job: MemoryJob) => {
    const { id, key, subject, retryCount } = job;
    job.takenAt = Date.now();
    worker.isBusy = true;
    const handled = runJob(worker.queue, { ...job, rank: job.priority }, worker.handler);
    const error: unknown = await handled.then(
      () => null,
      (thrown: unknown) => thrown ?? new Error("rejected"),
    );
    worker.isBusy = false;
    // A worker's result does not count once its job was handed to another one.
    if (job.retryCount !== retryCount) return;
    const retry = error === null ? null : retryAfter(error, job, firstBackoffMs);
    if (retry)
      log[retry.kind === "retry" ? retry.level : "error"](
        { job: id, key, subject, error: messageOf(error) },
        "job failed",
      );
    if (retry?.kind !== "retry") return remove(worker.queue, (one) => one === job);
    job.failures = retry.failures;
    putBack(worker.queue, job, retry.waitMs);
  };

  function runDue(): void {
    if (isStopped) return;
    // Reads the clock only once: a job must not be too early for the workers but too late for the timer.
    const now = Date.now();
    for (const worker of workers) {
      const job = worker.isBusy ? undefined : nextFor(worker, now);
      if (!job) continue;
      const done = run(worker, job).finally(() => {
        running.delete(done);
        runDue();
      });
      running.add(done);
    }
    const later = [...jobs.values()].flatMap((some) => some.map(({ startAfter }) => startAfter - now));
    const soonest = Math.min(...later.filter((ms) => ms > 0), 60_000);
    clearTimeout(timer);
    timer = setTimeout(runDue, soonest);
  }

  // An address without a URL is the embedded server's, which has no TLS, regardless of PGSSLMODE.
  const client = new Client("connectionString" in connection ? connection : { ...connection, ssl: false });
  client.on("error", (error) => log.warn({ error: error.message }, "job notifications"));
  client.on("notification", ({ payload = "" }) => {
    const { queue, job, moves } = notified.parse(JSON.parse(payload));
    (moves ? move : add)(queue, jobSchema.parse(job));
  });
  await client.connect();
  await client.query(`listen ${channel}`);

  const notify = async (sent: z.infer<typeof notified>, within: SqlExecutor) => {
    // PostgreSQL delivers identical notifications only once.
    await within.executeSql("select pg_notify($1, $2)", [channel, JSON.stringify({ ...sent, id: randomUUID() })]);
  };
  const sendAll: Queue["sendAll"] = async (queue, sent, within) => {
    for (const job of sent.map(storedJob)) {
      if (within) await notify({ queue, job, moves: false }, within);
      else add(queue, job);
    }
  };
  return {
    send: async (name, job, within) => await sendAll(name, [job], within),
    sendAll,
    sendTogether: async (sent, within) => {
      for (const { queue, ...job } of sent) await sendAll(queue, [job], within);
    },
    debounce: async (name, job, at, within) => {
      const delayMs = typeof at === "number" ? at : at.getTime() - Date.now();
      const moved = storedJob({ ...job, delayMs });
      if (within) await notify({ queue: name, job: moved, moves: true }, within);
      else move(name, moved);
    },
    ensure: async (name, due) => {
      for (const { at, ...job } of due) {
        const startAfter = at === "now" ? Date.now() : at.getTime();
        const waiting = existing(name, job.key);
        if (waiting) {
          waiting.startAfter = Math.min(waiting.startAfter, startAfter);
          waiting.priority = Math.max(waiting.priority, rankOf(job));
        } else add(name, storedJob(job), startAfter);
      }
      await Promise.resolve(runDue());
    },
    repeat: async () => await Promise.resolve(),
    work: async (queue, concurrency, handler) => {
      const ranks = [
        ...Array<number>(concurrency).fill(FIRST_RANK),
        ...(RESERVED[queue] ?? []).map((one) => RANKS[one]),
      ];
      for (const upTo of ranks) workers.push({ queue, upTo, isBusy: false, handler });
      runDue();
      await Promise.resolve();
    },
    listKeys: async (name, among) =>
      await Promise.resolve([
        ...new Set(jobsOf(name).flatMap(({ key }) => (among === undefined || among.includes(key) ? [key] : []))),
      ]),
    countDue: async (queues, withinMs) => {
      const until = Date.now() + withinMs;
      const due = queues.flatMap((name) =>
        jobsOf(name).filter(({ takenAt, startAfter }) => takenAt !== null || startAfter <= until),
      );
      return await Promise.resolve(due.length);
    },
    listWaiting: async (name, key) =>
      await Promise.resolve(
        jobsOf(name)
          .filter((job) => job.key === key && !job.takenAt)
          .map(({ id }) => id),
      ),
    remove: async (name, ids) => await Promise.resolve(remove(name, ({ id }) => ids.includes(id))),
    forget: async (name, key) => await Promise.resolve(remove(name, (job) => job.key === key && !job.takenAt)),
    listTaken: async (name, sinceMs) =>
      await Promise.resolve(
        jobsOf(name)
          .filter(({ takenAt }) => takenAt !== null && takenAt <= Date.now() - sinceMs)
          .map(({ id, key, subject, retryCount }) => ({ id, key, subject, retryCount })),
      ),
    giveBack: async (name, { id, retryCount }) => {
      const job = jobsOf(name).find((one) => one.id === id && one.retryCount === retryCount);
      if (job) putBack(name, job, waitAfterRelease(retryCount));
      runDue();
      await Promise.resolve();
    },
    drain: async () => {
      do {
        await Promise.all(running);
        // The answer arrives after the notifications of everything committed before.
        await client.query("select 1");
      } while (running.size > 0);
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await Promise.all(running);
      await client.end();
    },
  };
}

function storedJob(job: NewJob): z.infer<typeof jobSchema> {
  return { key: job.key, subject: job.subject, priority: rankOf(job), delayMs: job.delayMs ?? 0, ...tracesOf(job) };
}
