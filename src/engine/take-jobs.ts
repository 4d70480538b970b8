import type { Orchestrator } from "./orchestrator.ts";
import { issueOfKey } from "./send-jobs.ts";
import { type Maintenance, maintenanceIn } from "./maintenance-jobs.ts";
import type { OrchestratorDeps } from "./wake.ts";
import { issueNamed } from "../domain/issue.ts";
import { RelayError } from "../lib/errors.ts";
import type { Queue, TakenJob } from "../storage/queue/queue.ts";
import type { Database, Db } from "../storage/db.ts";
import { listFreeLocks } from "../storage/locks.ts";
import { issueNames } from "../storage/issues.ts";
import { getPlan } from "../storage/plans.ts";
import type { Lack } from "../domain/plan.ts";
import { lockOfTask } from "../domain/work.ts";

/** How long a job waits for the lock of its issue, and when it retries after that. */
const LOCK_WAIT_MS = 2_000;
const RETRY_AFTER_MS = 3_000;

/** Acknowledgements that one process sends at a time: each is a request or two. */
const ACKNOWLEDGING = 4;

/** Comments from Relay's page that one process posts at a time. */
const SAYING = 2;

/** Status comments that one process updates at a time: each is a request. */
const SHOWING = 2;
const HOURLY = "17 * * * *";

/**
 * `withIssueLock` for jobs: a job whose issue stays locked retries later, so that it does not block a worker that other
 * issues need.
 */
export function inTurns(db: Database): OrchestratorDeps["withIssueLock"] {
  return async (issue, work) => {
    const attempt = await db.tryLock(lockOf(issue), work, LOCK_WAIT_MS);
    if (attempt.kind === "done") return attempt.value;
    throw new RelayError("conflict", `${issue} is being worked on`, { retryable: true, retryAfterMs: RETRY_AFTER_MS });
  };
}

/** The name of an issue's lock. */
export function lockOf(issue: string): string {
  return `issue ${issue}`;
}

/**
 * A job taken this many milliseconds ago holds its lock if its process is alive. The queue itself notices a dead
 * process only after 10 s.
 */
const TAKEN_FOR_MS = 1_000;

/**
 * Releases the jobs of dead processes: a running job holds a lock, which ends with its process. Otherwise, where
 * processes are killed often, most issues would soon wait for jobs that nobody runs.
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
      name === "task" ? lockOfTask(subject) : lockOf(issues?.get(subject) ?? issueOfKey(key));
    const free = await listFreeLocks(db, taken.map(lockOfJob));
    for (const job of taken.filter((one) => free.has(lockOfJob(one)))) await queue.giveBack(name, job);
  }
}

/** Tries plans, before anybody is asked for a yes, until the queue is stopped (R-WORK-16). */
export async function takePlans(queue: Queue, preflight: (planId: string) => Promise<void>): Promise<void> {
  await queue.work("preflight", 1, async ({ subject }) => await preflight(subject));
}

/** Takes tasks until the queue is stopped: those that were begun first, then the smallest issue number (R-WORK-1). */
export async function takeTasks(
  queue: Queue,
  executeTask: (taskId: string) => Promise<void>,
  concurrency: number,
): Promise<void> {
  await queue.work("task", concurrency, async ({ subject }) => await executeTask(subject));
}

/** Milliseconds that a plan's comment waits for a worker to check what the work needs. */
const LACKS_WAIT_MS = 8_000;
const LACKS_LOOK_MS = 200;

/**
 * Asks a worker what is missing for each plan's work, and returns its answer of the first seconds; the status comment
 * adds the rest later. Empty if no worker answers; until one has answered, later plans do not wait.
 */
export function lacksByWorkers(
  { sendPreflight }: Pick<OrchestratorDeps["jobs"], "sendPreflight">,
  { db, sleep }: { db: Db; sleep: (ms: number) => Promise<void> },
): (planId: string) => Promise<Lack[]> {
  const look = async (planId: string) => (await getPlan(db, planId)).lacks;
  let unanswered: string | null = null;
  return async (planId) => {
    await sendPreflight(planId);
    // The plan may have been erased meanwhile.
    const answers = unanswered === null || (await look(unanswered).catch(() => [])) !== null;
    for (let waited = 0; waited < (answers ? LACKS_WAIT_MS : LACKS_LOOK_MS); waited += LACKS_LOOK_MS) {
      const lacks = await look(planId);
      if (lacks !== null) {
        unanswered = null;
        return lacks;
      }
      await sleep(LACKS_LOOK_MS);
    }
    unanswered = planId;
    return [];
  };
}

/**
 * Takes jobs until the queue is stopped. If this process `looksForMissed`, `maintain` runs now and hourly, in one
 * process at a time; also for one account (`github/acme`) when Relay is given access there, and for one repository when
 * its default branch moved. `sendCompares` says when repositories are compared.
 */
export async function takeJobs(
  queue: Queue,
  orchestrator: Pick<
    Orchestrator,
    "processDeliveries" | "acknowledge" | "wake" | "updateStatus" | "postProxiedComment" | "recover"
  >,
  concurrency: number,
  maintain: (about: Maintenance) => Promise<void>,
  looksForMissed = true,
): Promise<void> {
  await queue.work("event", concurrency, async ({ key }) => {
    const issue = issueNamed(issueOfKey(key));
    if (!issue) return;
    const done = await orchestrator.processDeliveries(issue);
    if (done.length === 1) return;
    // Jobs queued behind this one have their deliveries stored already: process those here, and drop the jobs.
    const behind = await queue.listWaiting("event", key);
    if (behind.length === 0) return;
    await orchestrator.processDeliveries(issue);
    await queue.remove("event", behind);
  });
  await queue.work("acknowledge", ACKNOWLEDGING, async (job) => await orchestrator.acknowledge(job.subject));
  await queue.work("wake", concurrency, async (job) => void (await orchestrator.wake(job.subject)));
  await queue.work("say", SAYING, async ({ subject }) => await orchestrator.postProxiedComment(subject));
  await queue.work("status", SHOWING, async ({ subject }) => await orchestrator.updateStatus(subject));
  await queue.work("upkeep", 1, async ({ subject }) => await maintain(maintenanceIn(subject)));
  await queue.work("compare", 1, async ({ subject }) => await maintain({ repository: subject }));
  if (looksForMissed) {
    await queue.repeat("upkeep", { key: "upkeep", subject: "hourly", priority: "background" }, HOURLY);
    await queue.send("upkeep", { key: "upkeep", subject: "start", priority: "background" });
  }
  await orchestrator.recover();
}
