import { afterBudgetStop, stopForBudget } from "./budget-stop.ts";
import type { CycleOutcome } from "./conclude.ts";
import { runCycle } from "./cycle.ts";
import type { TrackerEvent } from "./domain/event.ts";
import type { Issue, IssueAddress } from "./domain/issue.ts";
import { issueName } from "./domain/issue.ts";
import type { IssueState } from "./domain/lifecycle.ts";
import { labelsFor } from "./domain/lifecycle.ts";
import type { StateLabels } from "./domain/lifecycle.ts";
import type { Decision } from "./intake/decide.ts";
import { processEvent } from "./intake/process.ts";
import type { EventJob, Receive } from "./intake/receive.ts";
import { createReceive } from "./intake/receive.ts";
import type { Repository } from "./explore/repository.ts";
import type { Clock } from "./lib/clock.ts";
import { RelayError, messageOf } from "./lib/errors.ts";
import type { Ids } from "./lib/ids.ts";
import type { Log } from "./lib/log.ts";
import type { Planner } from "./planning/planner.ts";
import type { SqlExecutor } from "./queue/queue.ts";
import type { CycleRecords } from "./replay/record-files.ts";
import type { SpecGenerator } from "./spec/generator.ts";
import type { Budgets } from "./spending/budget.ts";
import type { IssueSpending } from "./spending/spending.ts";
import { spendingOn } from "./spending/spending.ts";
import type { SpecStore } from "./specstore/spec-store.ts";
import type { Database } from "./store/db.ts";
import type { WaitingDelivery } from "./store/deliveries.ts";
import { countUnprocessed, listWaiting, markProcessed, nextDelivery } from "./store/deliveries.ts";
import { endQuiet, findIssueById, getIssue, listIssues, setQuietUntil } from "./store/issues.ts";
import type { StoredRepository } from "./store/rows.ts";
import { findBudgetStop, listDueStops } from "./store/spending.ts";
import { writeStateFiles } from "./store/state-files.ts";
import { findRepository } from "./store/tracked.ts";
import type { Tracker } from "./trackers/tracker.ts";

/**
 * What each state waits for, and which job moves it on. Read this first.
 *
 *   event  what is delivered and waits of an issue, in order: fetch, decide, store; may start or restart the quiet
 *          wait                                                                      (intake/)
 *   wake   the wait is over: one planner cycle and what follows from it, up to the spec
 *          (planning/ -> actions/ -> spec/)
 */
export const STEPS: Record<IssueState, { waitsFor: string; wake: "cycle" | "nothing" }> = {
  pending_plan: { waitsFor: "quiet", wake: "cycle" },
  planning: { waitsFor: "the planner", wake: "cycle" },
  clarifying: { waitsFor: "answers", wake: "cycle" },
  awaiting_proceed: { waitsFor: "the go-ahead for the spec", wake: "cycle" },
  specifying: { waitsFor: "the spec generator", wake: "cycle" },
  waiting_confirmation: { waitsFor: "the go-ahead for the work", wake: "cycle" },
  queued: { waitsFor: "a worker", wake: "nothing" },
  in_progress: { waitsFor: "the worker", wake: "nothing" },
  in_review: { waitsFor: "a review", wake: "nothing" },
  done: { waitsFor: "nothing; a comment revises the spec", wake: "cycle" },
  stuck: { waitsFor: "an answer", wake: "nothing" },
  failed: { waitsFor: "the operator", wake: "nothing" },
  paused: { waitsFor: "the operator", wake: "nothing" },
  closed: { waitsFor: "nothing", wake: "nothing" },
};

export interface FlowDeps {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  sleep: (ms: number) => Promise<void>;
  specStore: SpecStore;
  /** The repository of an event; null where it is none that Relay works in. One that calls Relay is made known. */
  repositoryOf: (event: TrackerEvent) => Promise<StoredRepository | null>;
  trackerFor: (repository: StoredRepository) => Promise<Tracker>;
  /** Opens the code as it is now, for as long as `work` takes. */
  withCode: <T>(repository: StoredRepository, work: (code: Repository) => Promise<T>) => Promise<T>;
  /** Agents tell each of their calls to `spending`, and ask it before a run what may be spent. */
  plannerFor: (code: Repository, spending: IssueSpending) => Planner;
  generatorFor: (code: Repository, spending: IssueSpending) => SpecGenerator;
  budgets: Budgets;
  records: CycleRecords;
  home: string;
  idleMinutes: number;
  labels: StateLabels;
  /** Runs `work` while nothing else works on the same issue, in any process. */
  oneAtATime: <T>(issue: string, work: () => Promise<T>) => Promise<T>;
  jobs: {
    /** Sends the jobs for deliveries; with `within`, inside the transaction that stores those. */
    sendEvents: (jobs: EventJob[], within?: SqlExecutor) => Promise<void>;
    /** Sets the issue's one wake-up; a later call moves it. */
    setWake: (issueId: string, at: Date) => Promise<void>;
  };
  detectLanguage: (text: string) => string;
}

export interface Flow {
  /** Takes a delivery in; when it returns, the delivery is safe (R-IN-2). */
  receive: Receive;
  /** The job `event`: works off the deliveries of the issue that wait, in order (R-IN-3). */
  processDeliveries(issue: IssueAddress): Promise<ProcessedDelivery[]>;
  /** The job `wake`; does nothing while the quiet wait still runs, unless somebody asks directly (R-LIFE-3). */
  wake(issueId: string, asked?: "directly"): Promise<CycleOutcome>;
  /** Whether nothing is left to do for the issue until somebody acts; waits for what is under way. */
  isIdle(issueId: string): Promise<boolean>;
  /** Ends the quiet wait and sets the wake-up to now. */
  wakeNow(issueId: string): Promise<void>;
  /** Sends the jobs again for whatever a crash, or a job that was given up, has left undone. */
  recover(): Promise<void>;
}

/** `failed`: what the event is about is not there, or cannot be taken. */
export interface ProcessedDelivery {
  decision: Decision["kind"] | "failed";
  issueId: string | null;
}

export function createFlow(deps: FlowDeps): Flow {
  return {
    receive: createReceive({ ...deps, enqueue: deps.jobs.sendEvents }),
    processDeliveries: async (issue) => await processDeliveries(issue, deps),
    wake: async (issueId, asked) => await wake(issueId, asked === "directly", deps),
    isIdle: async (issueId) => {
      const { provider, externalProjectId, externalIssueId } = await getIssue(deps.db, issueId);
      const address = { provider, externalProjectId, externalIssueId };
      return await deps.oneAtATime(issueName(address), async () => {
        if ((await countUnprocessed(deps.db, address)) > 0) return false;
        return (await getIssue(deps.db, issueId)).quietUntil === null;
      });
    },
    wakeNow: async (issueId) => await setWait(issueId, deps.clock.now(), deps),
    recover: async () => {
      const waiting = await listWaiting(deps.db);
      await deps.jobs.sendEvents(waiting.map((issue) => ({ issue: issueName(issue), background: true })));
      for (const { id, state, quietUntil } of await listIssues(deps.db)) {
        const cutOff = state === "planning" || state === "specifying";
        if (quietUntil !== null) await deps.jobs.setWake(id, quietUntil);
        else if (cutOff) await setWait(id, deps.clock.now(), deps);
      }
      for (const { issueId, resumesAt } of await listDueStops(deps.db)) await deps.jobs.setWake(issueId, resumesAt);
    },
  };
}

/** What one job works off before others get their turn. */
const MOST_IN_A_ROW = 50;

async function processDeliveries(issue: IssueAddress, deps: FlowDeps): Promise<ProcessedDelivery[]> {
  const done: ProcessedDelivery[] = [];
  return await deps.oneAtATime(issueName(issue), async () => {
    for (;;) {
      const delivery = await nextDelivery(deps.db, issue);
      if (delivery === null) return done;
      if (done.length === MOST_IN_A_ROW) {
        await deps.jobs.sendEvents([{ issue: issueName(issue), background: false }]);
        return done;
      }
      done.push(await processDelivery(delivery, deps));
    }
  });
}

async function processDelivery({ id, event }: WaitingDelivery, deps: FlowDeps): Promise<ProcessedDelivery> {
  const repository = await deps.repositoryOf(event);
  if (!repository) {
    await markProcessed(deps.db, id, "drop: unknown repository", deps.clock);
    return { decision: "drop", issueId: null };
  }
  try {
    return await processWith(repository, id, event, deps);
  } catch (error) {
    if (!isHopeless(error)) throw error;
    await markProcessed(deps.db, id, `failed: ${messageOf(error)}`, deps.clock);
    deps.log.error({ delivery: id, issue: issueName(event), error: messageOf(error) }, "event given up");
    return { decision: "failed", issueId: null };
  }
}

async function processWith(
  repository: StoredRepository,
  deliveryId: string,
  event: WaitingDelivery["event"],
  deps: FlowDeps,
): Promise<ProcessedDelivery> {
  const tracker = await deps.trackerFor(repository);
  const { decision, issue } = await processEvent(event, { ...deps, tracker, repository });
  if (issue) {
    if (decision.kind === "stop") await setQuietUntil(deps.db, issue.id, null);
    if ("wake" in decision && decision.wake !== "no") await startWait(issue, decision.wake, deps);
    await show(issue.id, deps);
  }
  await markProcessed(deps.db, deliveryId, decision.kind, deps.clock);
  deps.log.info({ delivery: deliveryId, event: event.kind, issue: issueName(event), decision }, "event processed");
  return { decision: decision.kind, issueId: issue?.id ?? null };
}

/** The issue is gone, or more than Relay takes: no later try can change that. */
function isHopeless(error: unknown): boolean {
  return (
    error instanceof RelayError &&
    !error.retryable &&
    (error.code === "not_found" || error.code === "invalid" || error.code === "too_large")
  );
}

/** The quiet wait restarts with each activity; a direct call skips it (R-LIFE-3). */
async function startWait(issue: Issue, when: "now" | "quiet", deps: FlowDeps): Promise<void> {
  const minutes = when === "now" ? 0 : deps.idleMinutes;
  await setWait(issue.id, new Date(deps.clock.now().getTime() + minutes * 60_000), deps);
}

/** The stored end of the wait is the truth; the job only reminds of it, and can be made again from it. */
async function setWait(issueId: string, until: Date, deps: FlowDeps): Promise<void> {
  await setQuietUntil(deps.db, issueId, until);
  await deps.jobs.setWake(issueId, until);
}

const NOTHING: CycleOutcome = { failures: [], error: null, again: null };

async function wake(issueId: string, direct: boolean, deps: FlowDeps): Promise<CycleOutcome> {
  const known = await findIssueById(deps.db, issueId);
  if (known === null) return NOTHING;
  const name = issueName(known);
  return await deps.oneAtATime(name, async () => {
    const found = await findIssueById(deps.db, issueId);
    if (found === null) return NOTHING;
    const issue = found.state === "paused" ? await afterPause(found, deps) : found;
    if (STEPS[issue.state].wake === "nothing") {
      await endQuiet(deps.db, issue);
      return NOTHING;
    }
    if (!direct && issue.quietUntil === null) return NOTHING;
    if (!direct && issue.quietUntil && issue.quietUntil > deps.clock.now()) {
      await deps.jobs.setWake(issueId, issue.quietUntil);
      return NOTHING;
    }
    const repository = await findRepository(deps.db, issue.provider, issue.externalProjectId);
    if (!repository) throw new RelayError("internal", `${name} belongs to a repository that is no longer stored`);
    const tracker = await deps.trackerFor(repository);
    const spending = spendingOn(issue, repository.workspaceId, deps);
    const { stopped, outcome } = await deps.withCode(repository, async (code) => {
      const planner = deps.plannerFor(code, spending);
      const generator = deps.generatorFor(code, spending);
      // Rules cost nothing, so no budget stops them.
      const free = planner.name === "offline" && generator.name === "offline";
      const stop = free ? null : await stopForBudget(issue, repository.workspaceId, { ...deps, tracker });
      const ended = stop ?? (await runCycle(issue, { ...deps, repository, code, tracker, planner, generator }));
      return { stopped: stop, outcome: ended };
    });
    const until = stopped === null ? null : ((await findBudgetStop(deps.db, issueId))?.resumesAt ?? null);
    if (until !== null) await deps.jobs.setWake(issueId, until);
    // Only now: had the process died before, the wait would still tell that there is work to do.
    if (outcome.again === null) await endQuiet(deps.db, issue);
    else if (outcome.again === "after the wait") await startWait(issue, "quiet", deps);
    else await setWait(issueId, new Date(deps.clock.now().getTime() + outcome.again), deps);
    await show(issueId, deps);
    return outcome;
  });
}

/** A pause ends by itself only where a budget made it, and a new window of that has begun. */
async function afterPause(issue: Issue, deps: FlowDeps): Promise<Issue> {
  const after = await afterBudgetStop(issue, deps);
  if (after.kind === "wait") await deps.jobs.setWake(issue.id, after.until);
  return after.kind === "resumed" ? after.issue : issue;
}

/**
 * Makes the state visible outside: labels in the tracker (R-LIFE-5), files for people (R-LIFE-6). Where that fails,
 * the work itself is done and must not be done again: it is logged, and the next change shows it.
 */
async function show(issueId: string, deps: FlowDeps): Promise<void> {
  const issue = await getIssue(deps.db, issueId);
  try {
    const repository = await findRepository(deps.db, issue.provider, issue.externalProjectId);
    const tracker = repository && (await deps.trackerFor(repository));
    await tracker?.changeLabels(issue, labelsFor(issue.state, deps.labels));
  } catch (error) {
    deps.log.warn({ issue_id: issueId, error: messageOf(error) }, "labels not changed");
  }
  try {
    // The files of all issues are written at once; an older view of them must not overwrite a newer one.
    await deps.oneAtATime("state files", async () => await writeStateFiles(deps.home, await listIssues(deps.db)));
  } catch (error) {
    deps.log.warn({ issue_id: issueId, error: messageOf(error) }, "state files not written");
  }
}
