import type { CycleOutcome } from "./cycle.ts";
import { runCycle } from "./cycle.ts";
import type { TrackerEvent } from "./domain/event.ts";
import type { Issue } from "./domain/issue.ts";
import { issueName } from "./domain/issue.ts";
import type { IssueState } from "./domain/lifecycle.ts";
import { labelsFor } from "./domain/lifecycle.ts";
import type { StateLabels } from "./domain/lifecycle.ts";
import type { Decision } from "./intake/decide.ts";
import { processEvent } from "./intake/process.ts";
import type { Receipt } from "./intake/receive.ts";
import { receive } from "./intake/receive.ts";
import type { Repository } from "./explore/repository.ts";
import type { Clock } from "./lib/clock.ts";
import { RelayError } from "./lib/errors.ts";
import type { Ids } from "./lib/ids.ts";
import type { Log } from "./lib/log.ts";
import type { Planner } from "./planning/planner.ts";
import type { SpecGenerator } from "./spec/generator.ts";
import type { SpecStore } from "./specstore/spec-store.ts";
import type { Database, Db } from "./store/db.ts";
import { countUnprocessed, getDelivery, markProcessed } from "./store/deliveries.ts";
import { getIssue, listIssues, setQuietUntil } from "./store/issues.ts";
import type { StoredRepository } from "./store/rows.ts";
import { writeStateFiles } from "./store/state-files.ts";
import { findRepository } from "./store/tracked.ts";
import type { Tracker } from "./trackers/tracker.ts";

/**
 * What each state waits for, and which job moves it on. Read this first.
 *
 *   event  a delivery: fetch, decide, store; may start or restart the quiet wait    (intake/)
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
  trackerFor: (repository: StoredRepository) => Tracker;
  codeOf: (repository: StoredRepository) => Promise<Repository>;
  plannerFor: (code: Repository) => Planner;
  generatorFor: (code: Repository) => SpecGenerator;
  home: string;
  idleMinutes: number;
  labels: StateLabels;
  /** Runs `work` while nothing else works on the same issue, in any process. */
  oneAtATime: <T>(issue: string, work: () => Promise<T>) => Promise<T>;
  jobs: {
    /** Sends the job for a stored delivery inside the transaction that stores it. */
    sendEvent: (tx: Db, issue: string, deliveryId: string) => Promise<void>;
    /** Sets the issue's one wake-up; a later call moves it. */
    setWake: (issueId: string, at: Date) => Promise<void>;
  };
  detectLanguage: (text: string) => string;
}

export interface Flow {
  /** Takes a delivery in; when it returns, the delivery is safe (R-IN-2). */
  receive(externalDeliveryId: string, event: TrackerEvent): Promise<Receipt>;
  /** The job `event`. Returns what was decided, and the issue if there is one. */
  processDelivery(deliveryId: string): Promise<{ decision: Decision["kind"]; issueId: string | null }>;
  /** The job `wake`; does nothing while the quiet wait still runs, unless somebody asks directly (R-LIFE-3). */
  wake(issueId: string, asked?: "directly"): Promise<CycleOutcome>;
  /** Whether nothing is left to do for the issue until somebody acts; waits for what is under way. */
  isIdle(issueId: string): Promise<boolean>;
  /** Ends the quiet wait and sets the wake-up to now. */
  wakeNow(issueId: string): Promise<void>;
}

export function createFlow(deps: FlowDeps): Flow {
  return {
    receive: async (externalDeliveryId, event) =>
      await receive(externalDeliveryId, event, {
        ...deps,
        enqueue: async (tx, deliveryId) => await deps.jobs.sendEvent(tx, issueName(event), deliveryId),
      }),
    processDelivery: async (deliveryId) => await processDelivery(deliveryId, deps),
    wake: async (issueId, asked) => await wake(issueId, asked === "directly", deps),
    isIdle: async (issueId) => {
      const { provider, externalProjectId, externalIssueId } = await getIssue(deps.db, issueId);
      const address = { provider, externalProjectId, externalIssueId };
      return await deps.oneAtATime(issueName(address), async () => {
        if ((await countUnprocessed(deps.db, address)) > 0) return false;
        return (await getIssue(deps.db, issueId)).quietUntil === null;
      });
    },
    wakeNow: async (issueId) => {
      await setQuietUntil(deps.db, issueId, null);
      await deps.jobs.setWake(issueId, deps.clock.now());
    },
  };
}

async function processDelivery(deliveryId: string, deps: FlowDeps) {
  const { event, processedAt } = await getDelivery(deps.db, deliveryId);
  if (processedAt) return { decision: "drop" as const, issueId: null };
  return await deps.oneAtATime(issueName(event), async () => {
    const repository = await findRepository(deps.db, event.provider, event.externalProjectId);
    if (!repository) {
      await markProcessed(deps.db, deliveryId, "drop: unknown repository", deps.clock);
      return { decision: "drop" as const, issueId: null };
    }
    const tracker = deps.trackerFor(repository);
    const { decision, issue } = await processEvent(event, { ...deps, tracker, repository });
    if (issue) {
      if ("wake" in decision && decision.wake !== "no") await startWait(issue, decision.wake, deps);
      await show(issue.id, deps);
    }
    await markProcessed(deps.db, deliveryId, decision.kind, deps.clock);
    deps.log.info({ delivery: deliveryId, event: event.kind, issue: issueName(event), decision }, "event processed");
    return { decision: decision.kind, issueId: issue?.id ?? null };
  });
}

/** The quiet wait restarts with each activity; a direct call skips it (R-LIFE-3). */
async function startWait(issue: Issue, when: "now" | "quiet", deps: FlowDeps): Promise<void> {
  const minutes = when === "now" ? 0 : deps.idleMinutes;
  const until = new Date(deps.clock.now().getTime() + minutes * 60_000);
  await setQuietUntil(deps.db, issue.id, until);
  await deps.jobs.setWake(issue.id, until);
}

const NOTHING: CycleOutcome = { failures: [], error: null };

async function wake(issueId: string, direct: boolean, deps: FlowDeps): Promise<CycleOutcome> {
  const { provider, externalProjectId, externalIssueId } = await getIssue(deps.db, issueId);
  const name = issueName({ provider, externalProjectId, externalIssueId });
  return await deps.oneAtATime(name, async () => {
    const issue = await getIssue(deps.db, issueId);
    if (STEPS[issue.state].wake === "nothing") return NOTHING;
    if (!direct && issue.quietUntil && issue.quietUntil > deps.clock.now()) {
      await deps.jobs.setWake(issueId, issue.quietUntil);
      return NOTHING;
    }
    await setQuietUntil(deps.db, issueId, null);
    const repository = await findRepository(deps.db, issue.provider, issue.externalProjectId);
    if (!repository) throw new RelayError("internal", `${name} belongs to a repository that is no longer stored`);
    const code = await deps.codeOf(repository);
    const outcome = await runCycle(issue, {
      ...deps,
      repository,
      code,
      tracker: deps.trackerFor(repository),
      planner: deps.plannerFor(code),
      generator: deps.generatorFor(code),
      setWake: deps.jobs.setWake,
    });
    await show(issueId, deps);
    return outcome;
  });
}

/** Makes the state visible outside: labels in the tracker (R-LIFE-5), files for people (R-LIFE-6). */
async function show(issueId: string, deps: FlowDeps): Promise<void> {
  const issue = await getIssue(deps.db, issueId);
  const repository = await findRepository(deps.db, issue.provider, issue.externalProjectId);
  if (repository) await deps.trackerFor(repository).changeLabels(issue, labelsFor(issue.state, deps.labels));
  await writeStateFiles(deps.home, await listIssues(deps.db));
}
