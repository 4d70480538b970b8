import type { Push } from "../adapters/trackers/webhook.ts";
import { untilOwnMoment } from "./maintenance-jobs.ts";
import type { OrchestratorDeps } from "./wake.ts";
import { type Issue, type Provider, issueName } from "../domain/issue.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { type Priority, PRIORITIES, currentPriority } from "../lib/priority.ts";
import type { EventJob } from "../intake/receive.ts";
import type { Db } from "../storage/db.ts";
import type { JobOfQueue, NewJob, Queue } from "../storage/queue/queue.ts";
import { listOwnJobs } from "../storage/unfinished.ts";

/**
 * Changes of an issue within `settled` milliseconds are one edit of its status comment (R-LIFE-9). The comment mentions
 * work only if it takes longer than `working`: a cycle by rules takes a second.
 */
const SHOWN_AFTER_MS = { settled: 2_000, working: 12_000 };

/**
 * The engine's jobs. The queue is opened with the first job. A status comment is updated `shownAfterMs` milliseconds
 * after a change; that of a local issue only if `tellsLocally`: a command prints what it does, and most need no queue.
 */
export function jobsOn(
  open: () => Promise<Queue>,
  {
    shownAfterMs = SHOWN_AFTER_MS,
    tellsLocally = () => true,
    clock = systemClock,
  }: { shownAfterMs?: typeof SHOWN_AFTER_MS; tellsLocally?: () => boolean; clock?: Clock } = {},
): OrchestratorDeps["jobs"] {
  return {
    sendEvents: async (events, within) => {
      const jobs = events.flatMap((event): JobOfQueue[] => [
        { queue: "event", ...eventJob(event) },
        ...(event.acknowledge ?? []).map((name) => ({ queue: "acknowledge" as const, ...acknowledgeJob(name, event) })),
      ]);
      await (await open()).sendTogether(jobs, within);
    },
    sendAcknowledgements: async (names, within) => {
      const jobs = names.map((name) => acknowledgeJob(name, {}));
      await (await open()).sendAll("acknowledge", jobs, within);
    },
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
    sendProxiedComment: async (id, within) => {
      await (await open()).send("say", { key: id, subject: id, priority: "direct" }, within);
    },
    sendStatus: async ({ id, provider, state, resumesAs }, within) => {
      if (provider === "local" && !tellsLocally()) return;
      // The first status comment: people see at once that Relay has begun to read.
      const isFirst = state === "planning" && resumesAs === "pending_plan";
      const isWorking = state === "planning" || state === "specifying";
      // What people said is answered first; the status comment follows.
      const priority = currentPriority() === "background" ? "background" : "normal";
      const job = { key: id, subject: id, priority } as const;
      const queue = await open();
      if (isWorking) await queue.send("status", { ...job, delayMs: isFirst ? 0 : shownAfterMs.working }, within);
      // The issue waits for something now: a status update that was scheduled for later comes with this one.
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
        // A job that waits for its own moment keeps it; at a start, jobs do not wait.
        if (when === "now") await queue.debounce("compare", job, 0);
        else await queue.send("compare", { ...job, delayMs: untilOwnMoment(id, clock.now()) });
      }
    },
    setWake: async (issueId, at, priority = currentPriority()) => {
      await (await open()).debounce("wake", { key: issueId, subject: issueId, priority }, at);
    },
  };
}

function eventJob({ issue, priority, first, ...job }: EventJob) {
  const isFirst = first === undefined ? {} : { first };
  return { key: eventKey(issue, priority), subject: issue, priority, ...isFirst, ...traceOf(job) };
}

function acknowledgeJob(name: string, job: Pick<EventJob, "trace">) {
  return { key: name, subject: name, priority: "direct" as const, ...traceOf(job) };
}

function traceOf({ trace }: Pick<EventJob, "trace">): Pick<NewJob, "trace"> {
  return trace === undefined ? {} : { trace };
}

/**
 * Jobs with the same key run one after another, even if one waits for the tracker's quota: so each priority has its own
 * key. The issue's lock keeps them apart.
 */
function eventKey(issue: string, priority: Priority): string {
  return priority === "normal" ? issue : `${issue} ${priority}`;
}

/** The issue of a key of events. */
export function issueOfKey(key: string): string {
  const priority = PRIORITIES.find((one) => one !== "normal" && key.endsWith(` ${one}`));
  return priority === undefined ? key : key.slice(0, -priority.length - 1);
}

function eventKeys(issue: string): string[] {
  return PRIORITIES.map((priority) => eventKey(issue, priority));
}

/** Removes the jobs of an issue that no worker has taken. */
export async function forgetJobs(queue: Pick<Queue, "forget">, issue: Issue, db: Db): Promise<void> {
  for (const key of eventKeys(issueName(issue))) await queue.forget("event", key);
  await queue.forget("wake", issue.id);
  await queue.forget("status", issue.id);
  for (const { queue: name, key } of await listOwnJobs(db, issue.id)) await queue.forget(name, key);
}

/** Sends the job that maintains the repositories of one account, because Relay just got access to them. */
export async function sendAccessGiven(queue: Queue, provider: Provider, account: string): Promise<void> {
  const subject = `${provider}/${account.toLowerCase()}`;
  await queue.send("upkeep", { key: `access ${subject}`, subject });
}

/** Sends the job that checks the specs that cite files of a push: one job a push, however often it is delivered. */
export async function sendPushed(queue: Queue, provider: Provider, push: Push): Promise<void> {
  const key = `push ${provider}/${push.externalProjectId.toLowerCase()} ${push.commit}`;
  await queue.send("upkeep", { key, subject: JSON.stringify({ provider, push }), priority: "background" });
}
