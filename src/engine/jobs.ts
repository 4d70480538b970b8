import type { Push } from "../adapters/trackers/webhook.ts";
import type { Orchestrator } from "./orchestrator.ts";
import { type Upkeep, untilOwnMoment, upkeepIn } from "./upkeep-jobs.ts";
import type { OrchestratorDeps } from "./wake.ts";
import { type Issue, type Provider, issueName, issueNamed } from "../domain/issue.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { RelayError } from "../lib/errors.ts";
import { type Priority, PRIORITIES, currentPriority } from "../lib/priority.ts";
import type { EventJob } from "../intake/receive.ts";
import type { NewJob, Queue, SqlExecutor, TakenJob } from "../storage/queue/queue.ts";
import type { Database, Db } from "../storage/db.ts";
import { listFreeLocks } from "../storage/locks.ts";
import { issueNames } from "../storage/issues.ts";
import { getPlan } from "../storage/plans.ts";
import type { Lack } from "../domain/plan.ts";
import { lockOfTask } from "../domain/work.ts";

/** How long a job waits for the lock of its issue, and when it retries after that. */
const LOCK_WAIT_MS = 2_000;
const RETRY_AFTER_MS = 3_000;

/** Acknowledgements of one process at a time: each is a request or two. */
const ACKNOWLEDGING = 4;

/** Comments of people by Relay's page, of one process at a time. */
const SAYING = 2;

/** Status comments of one process at a time: each is a request. */
const SHOWING = 2;
/**
 * Changes of an issue within so many milliseconds are one edit of its status comment (R-LIFE-9). What is being done is
 * told only if it takes longer than `working`: by rules, a cycle is over in a second.
 */
const SHOWN_AFTER_MS = { settled: 2_000, working: 12_000 };

const HOURLY = "17 * * * *";

/**
 * The engine's jobs on the queue, which is opened when the first is sent. A status comment is looked at again after
 * `shownAfterMs` milliseconds; those of local issues only where `tellsLocally`: a command prints what it does, and most
 * need no queue.
 */
export function jobsOn(
  open: () => Promise<Queue>,
  {
    shownAfterMs = SHOWN_AFTER_MS,
    tellsLocally = () => true,
    clock = systemClock,
  }: { shownAfterMs?: typeof SHOWN_AFTER_MS; tellsLocally?: () => boolean; clock?: Clock } = {},
): OrchestratorDeps["jobs"] {
  const sendAcknowledgements = async (names: Acknowledgement[], within?: SqlExecutor) => {
    const jobs = names.map((one) => ({ ...one, subject: one.key, priority: "direct" as const }));
    await (await open()).sendAll("acknowledge", jobs, within);
  };
  return {
    sendEvents: async (events, within) => {
      await (await open()).sendAll("event", events.map(eventJob), within);
      await sendAcknowledgements(
        events.flatMap(({ acknowledge = [], ...job }) => acknowledge.map((key) => ({ key, ...traceOf(job) }))),
        within,
      );
    },
    sendAcknowledgements: async (names, within) =>
      await sendAcknowledgements(
        names.map((key) => ({ key })),
        within,
      ),
    sendMissingEvents: async (events) => {
      if (events.length === 0) return;
      const queue = await open();
      const keys = events.flatMap(({ issue }) => eventKeys(issue));
      const there = new Set(await queue.listKeys("event", keys));
      const missing = events.filter(({ issue }) => !eventKeys(issue).some((key) => there.has(key)));
      await queue.sendAll("event", missing.map(eventJob));
    },
    sendTask: async (task, within) => {
      const queue = await open();
      await queue.send("task", { key: task.id, subject: task.id, rank: task.rank }, within);
    },
    sendTasks: async (tasks) => {
      const jobs = tasks.map(({ id, rank }) => ({ key: id, subject: id, rank }));
      if (jobs.length > 0) await (await open()).sendAll("task", jobs);
    },
    ensureWakes: async (wakes, priority) => {
      if (wakes.length === 0) return;
      const jobs = wakes.map(({ issueId, at }) => ({ key: issueId, subject: issueId, priority, at }));
      await (await open()).ensure("wake", jobs);
    },
    sendPreflight: async (planId) => {
      await (await open()).send("preflight", { key: planId, subject: planId });
    },
    sendSaid: async (id, within) => {
      await (await open()).send("say", { key: id, subject: id, priority: "direct" }, within);
    },
    sendStatus: async ({ id, provider, state, resumesAs }, within) => {
      if (provider === "local" && !tellsLocally()) return;
      // The first: people see at once that somebody has begun to read.
      const isFirst = state === "planning" && resumesAs === "pending_plan";
      const isWorking = state === "planning" || state === "specifying";
      const job = { key: id, subject: id };
      const queue = await open();
      if (isWorking) await queue.send("status", { ...job, delayMs: isFirst ? 0 : shownAfterMs.working }, within);
      // It waits for something now: whatever was to be told later is told with that.
      else await queue.debounce("status", job, shownAfterMs.settled, within);
    },
    sendStatusAt: async (issueId, at) => {
      const delayMs = Math.max(0, at.getTime() - clock.now().getTime());
      await (await open()).send("status", { key: issueId, subject: issueId, delayMs });
    },
    sendCompares: async (repositoryIds, when) => {
      const queue = await open();
      for (const id of repositoryIds) {
        const job = { key: id, subject: id, priority: "background" } as const;
        // One that waits for its moment stays; at a start they do not wait.
        if (when === "now") await queue.debounce("compare", job, 0);
        else await queue.send("compare", { ...job, delayMs: untilOwnMoment(id, clock.now()) });
      }
    },
    setWake: async (issueId, at, priority = currentPriority()) => {
      await (await open()).debounce("wake", { key: issueId, subject: issueId, priority }, at);
    },
  };
}

type Acknowledgement = Pick<NewJob, "key" | "trace">;

function eventJob({ issue, priority, ...job }: EventJob): NewJob {
  return { key: eventKey(issue, priority), subject: issue, priority, ...traceOf(job) };
}

function traceOf({ trace }: Pick<EventJob, "trace">): Pick<NewJob, "trace"> {
  return trace === undefined ? {} : { trace };
}

/**
 * Jobs of one key wait for each other, also for one that waits for the tracker's quota: so each priority has its own. The
 * issue's lock keeps them apart.
 */
function eventKey(issue: string, priority: Priority): string {
  return priority === "normal" ? issue : `${issue} ${priority}`;
}

/** The issue of such a key. */
function issueOfKey(key: string): string {
  const priority = PRIORITIES.find((one) => one !== "normal" && key.endsWith(` ${one}`));
  return priority === undefined ? key : key.slice(0, -priority.length - 1);
}

function eventKeys(issue: string): string[] {
  return PRIORITIES.map((priority) => eventKey(issue, priority));
}

/** Removes the jobs of an issue that no worker has taken. */
export async function forgetJobs(queue: Pick<Queue, "forget">, issue: Issue): Promise<void> {
  for (const key of eventKeys(issueName(issue))) await queue.forget("event", key);
  await queue.forget("wake", issue.id);
  await queue.forget("status", issue.id);
}

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
 * A job taken this many milliseconds ago holds its lock if its process is alive. The queue itself notices a dead process
 * only after 10 s.
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

/** Takes tasks until the queue is stopped, the smallest issue number first (R-WORK-1). */
export async function takeTasks(
  queue: Queue,
  executeTask: (taskId: string) => Promise<void>,
  concurrency: number,
): Promise<void> {
  await queue.work("task", concurrency, async ({ subject }) => await executeTask(subject));
}

/** Milliseconds that a plan's comment waits for a worker's look at what it needs, and between two looks for it. */
const LACKS_WAIT_MS = 8_000;
const LACKS_LOOK_MS = 200;

/**
 * Has a worker try each plan, and gives what its work lacks as far as it is known within a moment; the rest is told later
 * by the status comment. Empty where no worker answers; then the next plans wait for none, until one has answered.
 */
export function lacksByWorkers(
  { sendPreflight }: Pick<OrchestratorDeps["jobs"], "sendPreflight">,
  { db, sleep }: { db: Db; sleep: (ms: number) => Promise<void> },
): (planId: string) => Promise<Lack[]> {
  const look = async (planId: string) => (await getPlan(db, planId)).lacks;
  let unanswered: string | null = null;
  return async (planId) => {
    await sendPreflight(planId);
    // It may be erased meanwhile.
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

/** Has the upkeep of the repositories of one account done at once: Relay was given access to them. */
export async function sendAccessGiven(queue: Queue, provider: Provider, account: string): Promise<void> {
  const subject = `${provider}/${account.toLowerCase()}`;
  await queue.send("upkeep", { key: `access ${subject}`, subject });
}

/** Has the specs looked at that cite what a push changed: one job for each push, however often it is told of. */
export async function sendPushed(queue: Queue, provider: Provider, push: Push): Promise<void> {
  const key = `push ${provider}/${push.externalProjectId.toLowerCase()} ${push.commit}`;
  await queue.send("upkeep", { key, subject: JSON.stringify({ provider, push }), priority: "background" });
}

/**
 * Takes jobs until the queue is stopped. `upkeep` runs now and hourly, in one of all processes; for one account
 * (`github/acme`) when Relay is given access there, and for one repository when its default branch moved. Repositories are
 * compared as `sendCompares` says.
 */
export async function takeJobs(
  queue: Queue,
  flow: Pick<Orchestrator, "processDeliveries" | "acknowledge" | "wake" | "updateStatus" | "postSaid" | "recover">,
  concurrency: number,
  upkeep: (about: Upkeep) => Promise<void>,
): Promise<void> {
  await queue.work("event", concurrency, async ({ key }) => {
    const issue = issueNamed(issueOfKey(key));
    if (!issue) return;
    const done = await flow.processDeliveries(issue);
    if (done.length === 1) return;
    // Jobs queued behind this one have their deliveries stored already: process those here, and drop the jobs.
    const behind = await queue.listWaiting("event", key);
    if (behind.length === 0) return;
    await flow.processDeliveries(issue);
    await queue.remove("event", behind);
  });
  await queue.work("acknowledge", ACKNOWLEDGING, async (job) => await flow.acknowledge(job.subject));
  await queue.work("wake", concurrency, async (job) => void (await flow.wake(job.subject)));
  await queue.work("say", SAYING, async ({ subject }) => await flow.postSaid(subject));
  await queue.work("status", SHOWING, async ({ subject }) => await flow.updateStatus(subject));
  await queue.work("upkeep", 1, async ({ subject }) => await upkeep(upkeepIn(subject)));
  await queue.work("compare", 1, async ({ subject }) => await upkeep({ repository: subject }));
  await queue.repeat("upkeep", { key: "upkeep", subject: "hourly", priority: "background" }, HOURLY);
  await queue.send("upkeep", { key: "upkeep", subject: "start", priority: "background" });
  await flow.recover();
}
