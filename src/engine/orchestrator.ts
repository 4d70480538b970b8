import type { CycleOutcome } from "../domain/cycle.ts";
import type { TrackerEvent } from "../domain/event.ts";
import type { Issue, IssueAddress } from "../domain/issue.ts";
import { issueName } from "../domain/issue.ts";
import type { IssueState, StateLabels } from "../domain/lifecycle.ts";
import type { EventJob, Receive } from "../intake/receive.ts";
import { createReceive } from "../intake/receive.ts";
import { renew } from "../intake/renew.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Priority, SqlExecutor } from "../storage/queue/queue.ts";
import type { SettingsOf } from "../config/repository-file.ts";
import { createShow } from "../notify/sync-labels.ts";
import { countFailedWake, forgetFailedWakes, takeUpAgain } from "../storage/dead-letters.ts";
import { countUnprocessed, listWaiting } from "../storage/deliveries.ts";
import {
  endDebounce,
  findIssueById,
  getIssue,
  isDebouncing,
  listInReview,
  listUnsynced,
  listUnfinished,
  setDebounceUntil,
  startDebounce,
} from "../storage/issues.ts";
import type { StoredRepository } from "../storage/repositories.ts";
import { repositoriesOf } from "../storage/repositories.ts";
import { listOpenTasks } from "../storage/tasks.ts";
import { listDueStops } from "../storage/spending.ts";
import type { CodeHost } from "../adapters/trackers/code-host.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import type { ProcessDeps, ProcessedDelivery } from "./process-deliveries.ts";
import { processDeliveries } from "./process-deliveries.ts";
import type { AdvanceDeps } from "./advance-issue.ts";

/**
 * What each state waits for, and which job moves it on. Read this first.
 *
 *   event  what is delivered and waits of an issue, in order: fetch, decide, store; may start or restart the quiet
 *          wait                                                                      (intake/)
 *   wake   the wait is over: `cycle`, one planner cycle and what follows from it, up to the spec and the plan
 *          (planning/ -> actions/ -> spec/ -> plan/); `confirm`, a look whether somebody agreed to the plan, or wants
 *          something else now (plan/); `answer`, whether somebody answered a run that got stuck; `review`, what people
 *          say to the request (review/); and before all of these, whether they have merged or closed it
 *   task   what was agreed to is carried out (worker/)
 */
export const STEPS: Record<
  IssueState,
  { waitsFor: string; wake: "cycle" | "confirm" | "answer" | "review" | "nothing" }
> = {
  pending_plan: { waitsFor: "quiet", wake: "cycle" },
  planning: { waitsFor: "the planner", wake: "cycle" },
  clarifying: { waitsFor: "answers", wake: "cycle" },
  awaiting_proceed: { waitsFor: "the go-ahead for the spec", wake: "cycle" },
  specifying: { waitsFor: "the spec generator", wake: "cycle" },
  waiting_confirmation: { waitsFor: "the go-ahead for the work", wake: "confirm" },
  queued: { waitsFor: "a worker", wake: "confirm" },
  in_progress: { waitsFor: "the worker", wake: "confirm" },
  in_review: { waitsFor: "a review", wake: "review" },
  done: { waitsFor: "nothing; a comment revises the spec", wake: "cycle" },
  stuck: { waitsFor: "an answer", wake: "answer" },
  failed: { waitsFor: "the operator", wake: "review" },
  paused: { waitsFor: "the operator", wake: "nothing" },
  closed: { waitsFor: "nothing", wake: "nothing" },
};

export interface OrchestratorDeps extends AdvanceDeps {
  /** The repository of an event; null where it is none that Relay works in. One that calls Relay is made known. */
  repositoryOf: (event: TrackerEvent) => Promise<StoredRepository | null>;
  trackerFor: (repository: StoredRepository) => Promise<Tracker>;
  codeHostFor: (repository: StoredRepository) => Promise<CodeHost>;
  /** How Relay works in a repository, as its operator and its own file say now (R-LIFE-7). */
  settingsOf: SettingsOf;
  home: string;
  idleMinutes: number;
  /** Whether comments of other bots make the planner run (R-IN-4); not by default. */
  respondToBots?: boolean;
  labels: StateLabels;
  /** Runs `work` while nothing else works on the same issue, in any process. */
  withIssueLock: <T>(issue: string, work: () => Promise<T>) => Promise<T>;
  jobs: AdvanceDeps["jobs"] & {
    /** Has a worker take a task, at once or when the transaction commits; those of small numbers come first. */
    sendTask: (task: { id: string; rank: number }, within?: SqlExecutor) => Promise<void>;
    /** Sends the jobs for deliveries; with `within`, inside the transaction that stores those. */
    sendEvents: (jobs: EventJob[], within?: SqlExecutor) => Promise<void>;
    /** The same, but for those issues only for which no such job waits or runs. */
    sendMissingEvents: (jobs: EventJob[]) => Promise<void>;
  };
  detectLanguage: (text: string) => string;
}

export interface Orchestrator {
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
  /** Does again what was given up of an issue; tells how many deliveries that were. */
  takeUpAgain(issue: IssueAddress): Promise<number>;
  /** Has a task tried again that failed or waits for an answer; whether there was one. */
  retryTask(issueId: string): Promise<boolean>;
  /** Shows the state of issues whose labels tell another, because of a crash or of a tracker that was down. */
  showAgain(): Promise<void>;
  /** Has all requests looked at that are in review: of what happened to them, a delivery may have been lost. */
  lookAtReviews(): Promise<void>;
  /** Sends the jobs again for whatever a crash, or a job that was given up, has left undone. */
  recover(): Promise<void>;
}

export function createOrchestrator(given: OrchestratorDeps): Orchestrator {
  const deps = { ...given, show: createShow(given) };
  const startWaitOf = async (issue: Issue, when: "now" | "quiet") => await startWait(issue, when, deps);
  return {
    receive: createReceive({ ...deps, enqueue: deps.jobs.sendEvents }),
    processDeliveries: async (issue) => await processDeliveries(issue, { ...deps, startWait: startWaitOf }),
    wake: async (issueId, asked) => await wakeOrGiveUp(issueId, asked === "directly", deps),
    isIdle: async (issueId) => {
      const issue = await getIssue(deps.db, issueId);
      return await deps.withIssueLock(issueName(issue), async () => {
        if ((await countUnprocessed(deps.db, issue)) > 0) return false;
        return (await getIssue(deps.db, issueId)).debounceUntil === null;
      });
    },
    wakeNow: async (issueId) => {
      const { sendTaskAgain } = await import("../implementation/resume-task.ts");
      await sendTaskAgain(issueId, deps);
      await setWait(issueId, 0, deps, "direct");
    },
    takeUpAgain: async (issue) => {
      const count = await takeUpAgain(deps.db, issue);
      if (count > 0) await deps.jobs.sendEvents([{ issue: issueName(issue), background: false }]);
      return count;
    },
    retryTask: async (issueId) => {
      const { retryTask } = await import("../implementation/resume-task.ts");
      const issue = await getIssue(deps.db, issueId);
      const retried = await deps.withIssueLock(issueName(issue), async () => await retryTask(issueId, deps));
      if (!retried) return false;
      // Where the issue was edited meanwhile, the plan is made anew instead.
      await deps.jobs.setWake(issueId, deps.clock.now());
      await deps.show(issueId);
      return true;
    },
    showAgain: async () => {
      for (const { id, address } of await listUnsynced(deps.db)) {
        await deps.withIssueLock(issueName(address), async () => await deps.show(id)).catch(unlessBusy);
      }
    },
    recover: async () => {
      const waiting = await listWaiting(deps.db);
      await deps.jobs.sendMissingEvents(waiting.map((issue) => ({ issue: issueName(issue), background: true })));
      for (const { id, debounceUntil } of await listUnfinished(deps.db)) {
        if (debounceUntil === null) await setWait(id, 0, deps);
        else await deps.jobs.setWake(id, debounceUntil, "background");
      }
      for (const { issueId, resumesAt } of await listDueStops(deps.db)) {
        await deps.jobs.setWake(issueId, resumesAt, "background");
      }
      for (const { id, issueNumber } of await listOpenTasks(deps.db)) {
        await deps.jobs.sendTask({ id, rank: issueNumber });
      }
    },
    lookAtReviews: async () => {
      for (const id of await listInReview(deps.db)) await deps.jobs.setWake(id, deps.clock.now(), "background");
    },
  };
}

/** Who works on an issue shows it in the end. */
function unlessBusy(error: unknown): void {
  if (!(error instanceof RelayError && error.code === "conflict")) throw error;
}

/** The quiet wait restarts with each activity; a direct call skips it (R-LIFE-3). */
async function startWait(issue: Issue, when: "now" | "quiet", deps: OrchestratorDeps): Promise<void> {
  const minutes = when === "now" ? 0 : deps.idleMinutes;
  await setWait(issue.id, minutes * 60_000, deps, when === "now" ? "direct" : "normal");
  // A yes needs no quiet.
  if (STEPS[issue.state].wake === "confirm") await deps.jobs.setWake(issue.id, deps.clock.now());
}

/** The stored end of the wait is the truth; the job only reminds of it, and can be made again from it. */
async function setWait(issueId: string, ms: number, deps: OrchestratorDeps, priority?: Priority): Promise<void> {
  const until = await startDebounce(deps.db, issueId, ms);
  await deps.jobs.setWake(issueId, until, priority);
}

type Deps = OrchestratorDeps & Pick<ProcessDeps, "show">;

const NOTHING: CycleOutcome = { failures: [], error: null, again: null };

/** A wake-up that fails, and not for a passing trouble, is given up after 8 tries; whoever asks directly is told each. */
async function wakeOrGiveUp(issueId: string, direct: boolean, deps: Deps): Promise<CycleOutcome> {
  try {
    const outcome = await wake(issueId, direct, deps);
    // What was given up stays so until it is tried again.
    if (outcome === null) return NOTHING;
    await forgetFailedWakes(deps.db, issueId);
    return outcome;
  } catch (error) {
    if (direct || (error instanceof RelayError && error.retryable)) throw error;
    if (!(await countFailedWake(deps.db, issueId, messageOf(error), deps.clock))) throw error;
    await setDebounceUntil(deps.db, issueId, null);
    deps.log.error({ issue_id: issueId, error: messageOf(error) }, "wake-up given up");
    return NOTHING;
  }
}

/** Null where it is not time for anything yet. What most processes never come to is loaded where it is first needed. */
async function wake(issueId: string, direct: boolean, deps: Deps): Promise<CycleOutcome | null> {
  const known = await findIssueById(deps.db, issueId);
  if (known === null) return NOTHING;
  const name = issueName(known);
  return await deps.withIssueLock(name, async () => {
    const found = await findIssueById(deps.db, issueId);
    if (found === null) return NOTHING;
    const issue = found.state === "paused" ? await afterPause(found, deps) : found;
    const step = STEPS[issue.state].wake;
    if (step === "nothing") {
      await endDebounce(deps.db, issue);
      return NOTHING;
    }
    if (step === "cycle" && !direct && !(await isWaitOver(issue, deps))) return null;
    const [stored] = await repositoriesOf(deps.db, issue);
    const tracker = await deps.trackerFor(stored);
    const codeHost = await deps.codeHostFor(stored);
    const settings = await deps.settingsOf(stored, codeHost);
    const repository = { ...stored, mode: settings.mode };
    const confirming = { ...deps, ...deps.confirmation, repository, tracker, codeHost };
    const refresh = async () => void (await renew(unheard(issue), issue, { ...confirming, whole: false }));
    const waits = issue.debounceUntil !== null && !direct && step !== "confirm";
    if (waits && !(await isWaitOver(issue, deps))) return null;
    const { closeWithPullRequest } = await import("../implementation/pull-request/pull-request-closed.ts");
    if (step !== "cycle" && (await closeWithPullRequest(issue, confirming))) {
      await deps.show(issueId);
      return NOTHING;
    }
    if (step === "review") {
      const { followUp } = await import("../implementation/follow-up.ts");
      await refresh();
      await followUp(await getIssue(deps.db, issueId), confirming);
      await endDebounce(deps.db, issue);
      await deps.show(issueId);
      return NOTHING;
    }
    const { lookAgainLater, advanceIssue } = await import("./advance-issue.ts");
    if (step === "confirm" || step === "answer") {
      const { goOnWithAnswer, sendTaskAgain } = await import("../implementation/resume-task.ts");
      const { checkApproval } = await import("../approval/approve-plan.ts");
      const look = step === "confirm" ? checkApproval : goOnWithAnswer;
      const answer = await look(issue, { ...confirming, refresh });
      if (answer === "nothing to do") {
        await sendTaskAgain(issueId, deps);
        await endDebounce(deps.db, issue);
        await lookAgainLater(issueId, deps);
        await deps.show(issueId);
        return NOTHING;
      }
      if (!direct && issue.debounceUntil === null) {
        // Words whose own delivery was lost: no other would begin a wait for them, and no comparison finds them now.
        await startWait(issue, "quiet", deps);
        return NOTHING;
      }
      if (!direct && !(await isWaitOver(issue, deps))) return NOTHING;
    }
    const outcome = await advanceIssue(await getIssue(deps.db, issueId), { repository, tracker, settings }, deps);
    // Only now: had the process died before, the wait would still tell that there is work to do.
    if (outcome.again === null) await endDebounce(deps.db, issue);
    else if (outcome.again === "after the wait") await startWait(issue, "quiet", deps);
    else await setWait(issueId, outcome.again, deps);
    await deps.show(issueId);
    return outcome;
  });
}

/** Whether a quiet wait was begun and is over; while it runs, the wake-up is set to its end. */
async function isWaitOver(issue: Issue, deps: Deps): Promise<boolean> {
  if (issue.debounceUntil === null) return false;
  if (!(await isDebouncing(deps.db, issue.id))) return true;
  await deps.jobs.setWake(issue.id, issue.debounceUntil);
  return false;
}

/** Nobody told of anything: the stored thread is merely made equal to the tracker's. */
function unheard({ provider, externalProjectId, externalIssueId }: Issue): TrackerEvent {
  const address = { provider, externalProjectId, externalIssueId };
  const nothing = { assignee: null, commentId: null, threadId: null, text: null, branch: null, outcome: null };
  return { ...address, ...nothing, kind: "labelled", actor: "", actorIsBot: false, at: new Date(0) };
}

/** A pause ends by itself only where a budget made it, and a new window of that has begun. */
async function afterPause(issue: Issue, deps: OrchestratorDeps): Promise<Issue> {
  const { afterBudgetStop } = await import("../budget/pause-for-budget.ts");
  const after = await afterBudgetStop(issue, deps);
  if (after.kind === "wait") await deps.jobs.setWake(issue.id, after.until);
  return after.kind === "resumed" ? after.issue : issue;
}
