import type { Orchestrator } from "./orchestrator.ts";
import type { OrchestratorDeps } from "./wake.ts";
import { issueNamed } from "../domain/issue.ts";
import { RelayError } from "../lib/errors.ts";
import type { EventJob } from "../intake/receive.ts";
import type { NewJob, Queue, TakenJob } from "../storage/queue/queue.ts";
import type { Database, Db } from "../storage/db.ts";
import { listFreeLocks } from "../storage/locks.ts";
import { issueNames } from "../storage/issues.ts";
import { lockOfTask } from "../domain/work.ts";

/** What a job waits for whoever works on its issue, and when it comes back where that takes longer. */
const PATIENCE_MS = 2_000;
const COME_BACK_MS = 3_000;

const HOURLY = "17 * * * *";

/** The jobs of the flow on the queue, which is opened when the first is sent. */
export function jobsOn(open: () => Promise<Queue>): OrchestratorDeps["jobs"] {
  return {
    sendEvents: async (events, within) => await (await open()).sendAll("event", events.map(eventJob), within),
    sendMissingEvents: async (events) => {
      if (events.length === 0) return;
      const queue = await open();
      const there = new Set(await queue.listKeys("event"));
      await queue.sendAll("event", events.filter(({ issue }) => !there.has(issue)).map(eventJob));
    },
    sendTask: async (task, within) => {
      const queue = await open();
      await queue.send("task", { key: task.id, subject: task.id, rank: task.rank }, within);
    },
    setWake: async (issueId, at, priority = "normal") => {
      await (await open()).debounce("wake", { key: issueId, subject: issueId, priority }, at);
    },
  };
}

function eventJob({ issue, background }: EventJob): NewJob {
  return { key: issue, subject: issue, priority: background ? "background" : "normal" };
}

/**
 * `withIssueLock` for jobs: one whose issue is being worked on for long comes back later, so that it keeps no worker from
 * the other issues.
 */
export function inTurns(db: Database): OrchestratorDeps["withIssueLock"] {
  return async (issue, work) => {
    const attempt = await db.tryLock(lockOf(issue), work, PATIENCE_MS);
    if (attempt.kind === "done") return attempt.value;
    throw new RelayError("conflict", `${issue} is being worked on`, { retryable: true, retryAfterMs: COME_BACK_MS });
  };
}

/** The lock that whoever works on an issue holds. */
export function lockOf(issue: string): string {
  return `issue ${issue}`;
}

/**
 * A job that was taken so many milliseconds ago has its lock, where its process is alive; the engine itself misses a
 * process only after 10 s.
 */
const TAKEN_FOR_MS = 1_000;

/**
 * Gives back the jobs of processes that died: work on an issue or a task holds a lock that is gone with its process.
 * Where processes are killed again and again, all issues would soon wait for jobs that nobody works on.
 */
export async function releaseOrphanedJobs(queue: Pick<Queue, "listTaken" | "giveBack">, db: Db): Promise<void> {
  for (const name of ["event", "wake", "task"] as const) {
    const taken = await queue.listTaken(name, TAKEN_FOR_MS);
    if (taken.length === 0) continue;
    const issues =
      name === "wake"
        ? await issueNames(
            db,
            taken.map(({ subject }) => subject),
          )
        : null;
    const lockOfJob = ({ key, subject }: TakenJob) =>
      name === "task" ? lockOfTask(subject) : lockOf(issues?.get(subject) ?? key);
    const free = await listFreeLocks(db, taken.map(lockOfJob));
    for (const job of taken.filter((one) => free.has(lockOfJob(one)))) await queue.giveBack(name, job);
  }
}

/** Takes tasks until the queue is stopped, the smallest issue number first (R-WORK-1). */
export async function takeTasks(
  queue: Queue,
  executeTask: (taskId: string) => Promise<void>,
  concurrency: number,
): Promise<void> {
  await queue.work("task", concurrency, async ({ subject }) => await executeTask(subject));
}

/** Takes jobs until the queue is stopped; `upkeep` runs now and hourly, in one of all processes. */
export async function takeJobs(
  queue: Queue,
  flow: Pick<Orchestrator, "processDeliveries" | "wake" | "recover">,
  concurrency: number,
  upkeep: () => Promise<void>,
): Promise<void> {
  await queue.work("event", concurrency, async ({ key }) => {
    const issue = issueNamed(key);
    if (!issue) return;
    const done = await flow.processDeliveries(issue);
    if (done.length === 1) return;
    // Others came meanwhile or waited behind. Their jobs are seen, so their deliveries are, too, by whoever looks now.
    // Where there was none for this job, an earlier one has worked it off, and may not have lived to remove the others.
    const behind = await queue.listWaiting("event", key);
    if (behind.length === 0) return;
    await flow.processDeliveries(issue);
    await queue.remove("event", behind);
  });
  await queue.work("wake", concurrency, async (job) => void (await flow.wake(job.subject)));
  await queue.work("upkeep", 1, upkeep);
  await queue.repeat("upkeep", { key: "upkeep", subject: "hourly" }, HOURLY);
  await queue.send("upkeep", { key: "upkeep", subject: "start" });
  await flow.recover();
}
