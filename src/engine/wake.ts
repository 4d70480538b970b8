import type { StateLabels } from "../domain/state-labels.ts";
import type { EventJob, Receive } from "../intake/receive.ts";
import type { SettingsOf } from "../config/repository-file.ts";
import type { Priority } from "../lib/priority.ts";
import type { SqlExecutor } from "../storage/queue/queue.ts";
import { recordAccess, recordNoAccess } from "../storage/audit.ts";
import type { CodeHost } from "../adapters/trackers/code-host.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import { checkApproval } from "../approval/approve-plan.ts";
import { withAudience } from "../approval/audience.ts";
import { afterBudgetStop } from "../budget/pause-for-budget.ts";
import { type IssueSpending, spendingOn } from "../budget/spending.ts";
import type { CycleOutcome } from "../domain/cycle.ts";
import type { TrackerEvent } from "../domain/event.ts";
import { type Issue, issueName } from "../domain/issue.ts";
import type { AnswerReview } from "../domain/work.ts";
import { followUp, listReviewWords } from "../implementation/follow-up.ts";
import {
  closeWithPullRequest,
  closedRequestOf,
  reopenWithPullRequest,
} from "../implementation/pull-request/pull-request-ended.ts";
import { checkAnswer, sendTaskAgain } from "../implementation/resume-task.ts";
import type { Engage } from "../intake/decide.ts";
import { closeIfGone } from "../intake/gone.ts";
import { NotShownYet } from "../intake/lag.ts";
import { storeAsFound, yieldIfEnded } from "../intake/recheck.ts";
import { renew } from "../intake/store-thread.ts";
import type { Notices } from "../notify/notices/tell.ts";
import { tellReopened } from "../notify/tell-reopened.ts";
import { RelayError, messageOf, lostAccess } from "../lib/errors.ts";
import { noteInSpan } from "../lib/trace.ts";
import { countFailedWake, forgetFailedWakes } from "../storage/dead-letters.ts";
import { endLimitWait } from "../storage/quotas.ts";
import { isAwaitingTracker } from "../storage/deliveries.ts";
import {
  endDebounce,
  findIssueById,
  getIssue,
  isDebouncing,
  setDebounceUntil,
  startDebounce,
} from "../storage/issues.ts";
import { type StoredRepository, repositoriesOf } from "../storage/repositories.ts";
import { draftedPlan, isPlanNext } from "../plan/post-plan.ts";
import { type AdvanceDeps, advanceIssue, pollReactions } from "./advance-issue.ts";
import { WAITS, debounceAfter } from "./state-machine.ts";

export interface OrchestratorDeps extends AdvanceDeps {
  /** The repository of an event; null if Relay does not work in it. Registers a repository that calls Relay. */
  repositoryOf: (event: TrackerEvent) => Promise<StoredRepository | null>;
  trackerFor: (repository: Pick<StoredRepository, "provider">) => Promise<Tracker>;
  codeHostFor: (repository: StoredRepository) => Promise<CodeHost>;
  /** How Relay works in a repository, as its operator and its own file say now (R-LIFE-7). */
  settingsOf: SettingsOf;
  /** Has the planner's model answer questions in reviews, under the issue's budget; null without a model (R-WORK-9). */
  answerReviewFor?: (spending: IssueSpending) => AnswerReview | null;
  home: string;
  idleMinutes: number;
  /** Who may call Relay (R-LIFE-11); `triage` by default. */
  engage?: Engage;
  /** Whether comments of other bots make the planner run (R-IN-4); not by default. */
  respondToBots?: boolean;
  labels: StateLabels;
  /** Runs `work` while nothing else works on the same issue, in any process. */
  withIssueLock: <T>(issue: string, work: () => Promise<T>) => Promise<T>;
  jobs: AdvanceDeps["jobs"] & {
    /** Sends a task to the workers, at once or when the transaction commits; small ranks come first. */
    sendTask: (task: { id: string; rank: number }, within?: SqlExecutor) => Promise<void>;
    /** The same for many. */
    sendTasks: (tasks: readonly { id: string; rank: number }[]) => Promise<void>;
    /** Ensures that each issue is woken by this time: no waiting wake-up becomes later, or less urgent. */
    ensureWakes: (wakes: readonly { issueId: string; at: Date | "now" }[], priority: Priority) => Promise<void>;
    /** Sends the job by which a worker checks what a plan's work needs (R-WORK-16). */
    sendPreflight: (planId: string) => Promise<void>;
    /** Sends the job that posts a proxied comment, when the transaction commits. */
    sendProxiedComment: (id: string, within: SqlExecutor) => Promise<void>;
    /** Sends the job that updates the issue's status comment, at once or when the transaction commits (R-LIFE-9). */
    sendStatus: (issue: Pick<Issue, "id" | "provider" | "state" | "resumesAs">, within?: SqlExecutor) => Promise<void>;
    /** The same at a later time. */
    sendStatusAt: (issueId: string, at: Date) => Promise<void>;
    /**
     * Sends jobs that compare repositories with their trackers, now or each at its own moment of the hour (R-SCALE-2).
     */
    sendCompares: (repositoryIds: readonly string[], when: "now" | "hourly") => Promise<void>;
    /** Sends the jobs for deliveries; with `within`, inside the transaction that stores those. */
    sendEvents: (jobs: EventJob[], within?: SqlExecutor) => Promise<void>;
    /** Sends jobs that acknowledge the messages of these events (R-LIFE-8). */
    sendAcknowledgements: (names: string[], within?: SqlExecutor) => Promise<void>;
    /** Like `sendEvents`, but only for issues without such a job that waits or runs. */
    sendMissingEvents: (jobs: EventJob[]) => Promise<void>;
  };
  detectLanguage: (text: string) => string;
  /** The secrets in the protected files of an issue's code, as fetched last; Relay writes them nowhere (R-SAFE-7). */
  secretsOf?: (issue: Issue) => Promise<readonly string[]>;
  /** Notices to teams about what waits for people (docs/notifications.md); absent if none is configured. */
  notices?: Notices | undefined;
}

export interface WakeDeps extends OrchestratorDeps {
  receive: Receive;
  syncLabels: (issueId: string) => Promise<void>;
}

/** Milliseconds until the next check whether a delivery still waits for the tracker. */
const TRACKER_WAIT_MS = 1_000;

const IDLE: CycleOutcome = { failures: [], error: null, again: null };

/**
 * The job `wake`: does what the issue's state calls for at the end of its debounce, or at once where somebody asks
 * directly (R-LIFE-3). Failures other than outages are counted; after 8 of them the wake-up becomes a dead letter. A
 * caller that asks directly gets each error.
 */
export async function wake(issueId: string, direct: boolean, deps: WakeDeps): Promise<CycleOutcome> {
  const known = await findIssueById(deps.db, issueId);
  if (known === null) return IDLE;
  noteInSpan({ "relay.issue": issueName(known), "relay.issue.id": issueId, "relay.issue.state": known.state });
  try {
    return await deps.withIssueLock(issueName(known), async () => {
      const outcome = await wakeAlone(issueId, direct, deps);
      // A dead letter stays one until it is retried.
      if (outcome === "too early") return IDLE;
      await forgetFailedWakes(deps.db, issueId);
      // A cycle that continues later may wait for access.
      if (typeof outcome.again !== "number") await recordAccess(deps.db, issueId, "wake", deps);
      await endLimitWait(deps.db, issueId);
      await deps.jobs.sendStatus(known);
      return outcome;
    });
  } catch (thrown) {
    const error = await closeIfGone(thrown, known, { ...deps, placeOf: async () => await trackerOf(known, deps) });
    const waiting = lostAccess(error);
    if (waiting !== null) await recordNoAccess(deps.db, issueId, { why: waiting.message, work: "wake" }, deps);
    if (direct || (error instanceof RelayError && error.retryable)) throw error;
    if (waiting !== null) throw waiting;
    const isGivenUp = await deps.db.transaction(async (tx) => {
      if (!(await countFailedWake(tx, issueId, messageOf(error), deps.clock))) return false;
      const issue = await findIssueById(tx, issueId);
      if (issue !== null) await deps.notices?.deadLettered(tx, { what: "wake", address: issue, issue });
      return true;
    });
    if (!isGivenUp) throw error;
    await setDebounceUntil(deps.db, issueId, null);
    deps.log.error({ issue_id: issueId, error: messageOf(error) }, "wake-up became a dead letter");
    return IDLE;
  }
}

async function wakeAlone(issueId: string, direct: boolean, deps: WakeDeps): Promise<CycleOutcome | "too early"> {
  const found = await findIssueById(deps.db, issueId);
  if (found === null) return IDLE;
  const issue = await ifReopened(found.state === "paused" ? await afterPause(found, deps) : found, deps);
  const step = WAITS[issue.state].wake;
  if (step === "rest") {
    await endDebounce(deps.db, issue);
    return IDLE;
  }
  // A delivery that the tracker does not show yet may stop the issue, or be the newest comment (R-IN-11).
  if (!direct && (await isAwaitingTracker(deps.db, issue))) {
    await deps.jobs.setWake(issueId, TRACKER_WAIT_MS);
    return "too early";
  }
  const isDrafted = (await draftedPlan(issue, deps.db)) !== null;
  // An approval counts at once, and so does what may be approved; everything else waits until people have finished.
  const waits = !direct && step !== "check_approval";
  if (waits && !isDrafted && (await isTooEarly(issue, step === "plan", deps))) return "too early";
  const place = await placeOf(issue, deps);
  const isPlanFirst = isDrafted && (await isPlanNext(issue, { db: deps.db, repository: place.repository }));
  if (waits && isDrafted && !isPlanFirst && (await isTooEarly(issue, step === "plan", deps))) return "too early";
  const about = { ...deps, ...deps.confirmation, ...place };
  const refresh = async () => {
    try {
      const { shown } = await renew(unchanged(issue), issue, { ...about, whole: false });
      await yieldIfEnded(issue, shown, about);
    } catch (error) {
      // Store it as it is: perhaps no delivery is left that would fetch the issue again.
      if (error instanceof NotShownYet) await storeAsFound(issue, deps);
      throw error;
    }
  };
  if (step !== "plan" && (await closeWithPullRequest(issue, about))) {
    await deps.syncLabels(issueId);
    return IDLE;
  }
  if (step === "check_review") {
    await refresh();
    const spending = spendingOn(issue, place.repository.workspaceId, deps);
    const answerReview = deps.answerReviewFor?.(spending) ?? null;
    await followUp(await getIssue(deps.db, issueId), { ...about, answerReview });
    await endDebounce(deps.db, issue);
    await deps.syncLabels(issueId);
    return IDLE;
  }
  if (step !== "plan" && !isPlanFirst) {
    const check = step === "check_approval" ? checkApproval : checkAnswer;
    const reviewWords = async () => await listReviewWords(issue, about);
    if ((await check(issue, { ...about, refresh, reviewWords })) === "nothing to do") {
      await sendTaskAgain(issueId, deps);
      await endDebounce(deps.db, issue);
      await pollReactions(issueId, deps);
      await deps.syncLabels(issueId);
      return IDLE;
    }
    if (!direct && issue.debounceUntil === null) {
      // Their webhook was lost, and reconciliation no longer finds them: start the debounce here.
      await debounce(issue, "quiet", deps);
      return IDLE;
    }
    if (!direct && (await isTooEarly(issue, true, deps))) return IDLE;
  }
  const outcome = await advanceIssue(await getIssue(deps.db, issueId), place, deps);
  // An edited answer may have answered its question again.
  await tellReopened(issue, about);
  // Only now: had the process died earlier, the debounce would still say that there is work to do.
  if (outcome.again === null) await endDebounce(deps.db, issue);
  else if (outcome.again === "after the wait") await debounce(issue, "quiet", deps);
  else await wakeAfter(issueId, outcome.again, deps);
  await deps.syncLabels(issueId);
  return outcome;
}

/** The issue's repository, with the settings in force now, and its tracker. */
async function placeOf(issue: Issue, deps: WakeDeps) {
  const { stored, tracker, codeHost } = await trackerOf(issue, deps);
  const settings = await deps.settingsOf(stored, codeHost);
  await withAudience(issue, { db: deps.db, codeHost });
  return { repository: { ...stored, mode: settings.mode }, tracker, codeHost, settings };
}

async function trackerOf(issue: Issue, deps: WakeDeps) {
  const [stored] = await repositoriesOf(deps.db, issue);
  return { stored, tracker: await deps.trackerFor(stored), codeHost: await deps.codeHostFor(stored) };
}

/**
 * Whether the debounce still runs; the wake-up is then moved to its end. With `needed`, a missing debounce is too early
 * as well.
 */
async function isTooEarly(issue: Issue, needed: boolean, deps: WakeDeps): Promise<boolean> {
  if (issue.debounceUntil === null) return needed;
  if (!(await isDebouncing(deps.db, issue.id))) return false;
  await deps.jobs.setWake(issue.id, issue.debounceUntil);
  return true;
}

/** The status comment mentions a debounce that takes at least this many milliseconds. */
const SHOWN_WAIT_MS = 60_000;

/** Restarts the debounce, as each activity does; a direct call skips it (R-LIFE-3). */
export async function debounce(issue: Issue, asked: "now" | "quiet", deps: OrchestratorDeps): Promise<void> {
  const { ms, checksNow } = debounceAfter(issue.state, asked, deps.idleMinutes * 60_000);
  await wakeAfter(issue.id, ms, deps, asked === "now" ? "direct" : "normal");
  if (ms >= SHOWN_WAIT_MS) await deps.jobs.sendStatus(issue);
  if (checksNow || (await draftedPlan(issue, deps.db)) !== null) {
    await deps.jobs.setWake(issue.id, 0);
  }
}

/** The stored end of the debounce is the truth; the job can be made again from it. */
export async function wakeAfter(
  issueId: string,
  ms: number,
  deps: OrchestratorDeps,
  priority?: Priority,
): Promise<void> {
  const until = await startDebounce(deps.db, issueId, ms);
  await deps.jobs.setWake(issueId, until, priority);
}

/** An event without news, to refresh the stored thread. */
function unchanged({ provider, externalProjectId, externalIssueId }: Issue): TrackerEvent {
  const address = { provider, externalProjectId, externalIssueId };
  const nothing = { assignee: null, commentId: null, threadId: null, text: null, branch: null, outcome: null };
  return { ...address, ...nothing, kind: "labelled", actor: "", actorIsBot: false, at: new Date(0) };
}

/** A stopped issue whose pull request was reopened is in review again. */
async function ifReopened(issue: Issue, deps: WakeDeps): Promise<Issue> {
  const request = await closedRequestOf(issue, deps.db);
  if (request === null) return issue;
  const about = { ...deps, ...deps.confirmation, ...(await placeOf(issue, deps)) };
  return (await reopenWithPullRequest(issue, request, about)) ? await getIssue(deps.db, issue.id) : issue;
}

/** Only a pause for a budget ends by itself, with the budget's next window. */
async function afterPause(issue: Issue, deps: WakeDeps): Promise<Issue> {
  const after = await afterBudgetStop(issue, deps);
  if (after.kind === "wait") await deps.jobs.setWake(issue.id, after.until, "background");
  return after.kind === "resumed" ? after.issue : issue;
}
