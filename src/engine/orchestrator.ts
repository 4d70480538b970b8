import type { CycleOutcome } from "../domain/cycle.ts";
import { type Issue, type IssueAddress, issueName } from "../domain/issue.ts";
import { retryTask, sendTaskAgain } from "../implementation/resume-task.ts";
import { RECHECK_HOLDS_MS, recheck, yieldToHalt } from "../intake/recheck.ts";
import { type Receive, type ReceiveWithin, createReceive, createReceiveWithin } from "../intake/receive.ts";
import { RelayError, Postponed, messageOf } from "../lib/errors.ts";
import { withSecrets } from "../lib/own-secrets.ts";
import { createLabelSync } from "../notify/sync-labels.ts";
import { updateStatus } from "../notify/update-status.ts";
import { listHeldUp, retryDeadLetters } from "../storage/dead-letters.ts";
import { countUnprocessed } from "../storage/deliveries.ts";
import { labelsByState } from "../domain/state-labels.ts";
import { isUnsynced, listUnsynced } from "../storage/issue-labels.ts";
import { findIssue, findIssueById, getIssue } from "../storage/issues.ts";
import { pagesOfUnfinished, pagesWithDeliveries } from "../storage/unfinished.ts";
import type { RequestGlance } from "../adapters/trackers/tracker.ts";
import { listReviewsToLookAt } from "../storage/pull-requests.ts";
import { type StoredRepository, repositoriesOf } from "../storage/repositories.ts";
import { type Priority, currentPriority, withPriority } from "../lib/priority.ts";
import { isJustSeen } from "../storage/threads.ts";
import { listOpenTasks } from "../storage/tasks.ts";
import { listDueStops } from "../storage/spending.ts";
import { acknowledge } from "./acknowledge.ts";
import { postProxiedComment } from "./post-proxied-comment.ts";
import { type ProcessDeps, type ProcessedDelivery, processDeliveries } from "./process-deliveries.ts";
import { type GivenSpec, type ImportedSpec, importSpec } from "./import-spec.ts";
import { WAITS } from "./state-machine.ts";
import { type OrchestratorDeps, type WakeDeps, debounce, wake, wakeAfter } from "./wake.ts";
import { setLimitWait } from "../storage/quotas.ts";

export interface Orchestrator {
  /** Stores a webhook delivery; when it returns, the delivery survives a crash (R-IN-2). */
  receive: Receive;
  receiveWithin: ReceiveWithin;
  /** The job `event`: processes the pending deliveries of an issue in order (R-IN-3). */
  processDeliveries(issue: IssueAddress): Promise<ProcessedDelivery[]>;
  /** The job `acknowledge`: a reaction to the message of a delivery, if Relay takes it up (R-LIFE-8). */
  acknowledge(name: string): Promise<void>;
  /** The job `wake`; does nothing during the debounce, unless it is called directly (R-LIFE-3). */
  wake(issueId: string, asked?: "directly"): Promise<CycleOutcome>;
  /** The job `status`: brings the status comment up to date with where the issue stands (R-LIFE-9). */
  updateStatus(issueId: string): Promise<void>;
  /** The job `say`: posts a comment that a person wrote on Relay's page, or sent by the API or MCP. */
  postProxiedComment(id: string): Promise<void>;
  /** For a worker before it pushes or posts: processes what the tracker shows now, unless that happened just before. */
  catchUp: (issueId: string) => Promise<void>;
  /** For a worker that has caught up, before it posts: throws `Postponed` while a close or a stop waits. */
  yieldToHalt: (issue: IssueAddress) => Promise<void>;
  /** Whether the issue has no work left until somebody acts; waits for work in progress. */
  isIdle(issueId: string): Promise<boolean>;
  /** Ends the debounce and wakes the issue now. */
  wakeNow(issueId: string): Promise<void>;
  /** Stores a spec that an operator brings in as the issue's next version (R-SPEC-14). */
  importSpec(issueId: string, given: GivenSpec): Promise<ImportedSpec>;
  /** Retries the dead letters of an issue; returns how many deliveries that were. */
  retryDeadLetters(issue: IssueAddress): Promise<number>;
  /** Retries whatever waits, or was given up, in a repository. */
  retryHeldUp(repository: Pick<StoredRepository, "id">): Promise<void>;
  /** Requeues a failed or stuck task; false without one. */
  retryTask(issueId: string): Promise<boolean>;
  /** Syncs labels that a crash or an outage of the tracker left behind. */
  syncLabels(): Promise<void>;
  /**
   * Wakes the issues in review of a repository whose request changed or was not looked at for a while: the webhook of a
   * merge or a review may have been lost.
   */
  checkReviews(repositoryId: string, changed: readonly RequestGlance[]): Promise<void>;
  /** Sends jobs that were lost, or that a crash left unsent. */
  recover(): Promise<void>;
}

export function createOrchestrator(given: OrchestratorDeps): Orchestrator {
  const receive = createReceive({ ...given, enqueue: given.jobs.sendEvents });
  const { db, log } = given;
  const recheckIssue = async (issue: Issue) =>
    await recheck(issue, {
      db,
      clock: given.clock,
      log,
      receive,
      tracker: await given.trackerFor(issue),
      codeHost: async () => await given.codeHostFor((await repositoriesOf(db, issue))[0]),
    });
  const deps = { ...given, receive, recheck: recheckIssue, syncLabels: createLabelSync(given) };
  const hiding = async <T>(find: () => Promise<Issue | null>, work: () => Promise<T>): Promise<T> => {
    const issue = given.secretsOf === undefined ? null : await find();
    return await withSecrets((issue && (await given.secretsOf?.(issue))) ?? [], work);
  };
  return {
    receive,
    receiveWithin: createReceiveWithin({ ...given, enqueue: given.jobs.sendEvents }),
    processDeliveries: async (issue) => {
      const find = async () => await findIssue(db, issue);
      const work = async () => await processDeliveries(issue, deliveryDeps(deps));
      return await hiding(find, async () => await reportingLimit(find, work, deps));
    },
    acknowledge: async (name) => await acknowledge(name, deps),
    wake: async (issueId, asked) => {
      const find = async () => await findIssueById(db, issueId);
      const work = async () => await wake(issueId, asked === "directly", deps);
      return await hiding(find, async () => await reportingLimit(find, work, deps));
    },
    updateStatus: async (issueId) => {
      const find = async () => await findIssueById(db, issueId);
      await hiding(find, async () => await updateStatus(issueId, deps));
      if (!(await isUnsynced(db, issueId))) return;
      const name = issueName(await getIssue(db, issueId));
      await deps.withIssueLock(name, async () => await deps.syncLabels(issueId)).catch(unlessBusy);
    },
    postProxiedComment: async (id) => await postProxiedComment(id, deps),
    catchUp: async (issueId) => {
      const find = async () => await findIssueById(db, issueId);
      await hiding(find, async () => await catchUp(issueId, deps));
    },
    yieldToHalt: async (issue) => await yieldToHalt(issue, db),
    isIdle: async (issueId) => {
      const issue = await getIssue(deps.db, issueId);
      return await deps.withIssueLock(issueName(issue), async () => {
        if ((await countUnprocessed(deps.db, issue)) > 0) return false;
        return (await getIssue(deps.db, issueId)).debounceUntil === null;
      });
    },
    wakeNow: async (issueId) => await wakeNow(issueId, deps),
    importSpec: async (issueId, spec) => {
      const find = async () => await findIssueById(db, issueId);
      return await hiding(find, async () => await importSpec(issueId, spec, deps));
    },
    retryHeldUp: async ({ id }) => {
      for (const address of await listHeldUp(deps.db, id)) {
        if ((await retryDeadLetters(deps.db, address)) > 0) {
          await deps.jobs.sendEvents([{ issue: issueName(address), priority: "normal" }]);
        }
        const issue = await findIssue(deps.db, address);
        // Nobody asked for this issue in particular.
        if (issue !== null) await wakeNow(issue.id, deps, "normal");
      }
    },
    retryDeadLetters: async (issue) => {
      const count = await retryDeadLetters(deps.db, issue);
      if (count > 0) await deps.jobs.sendEvents([{ issue: issueName(issue), priority: "direct" }]);
      return count;
    },
    retryTask: async (issueId) => {
      const issue = await getIssue(deps.db, issueId);
      const retried = await deps.withIssueLock(issueName(issue), async () => await retryTask(issueId, deps));
      if (!retried) return false;
      // If the issue was edited meanwhile, it gets a new plan instead.
      await deps.jobs.setWake(issueId, 0);
      // If this fails, the job of the status comment syncs them, in a process that reaches the tracker.
      await deps
        .syncLabels(issueId)
        .catch((error: unknown) => log.info({ issueId, error: messageOf(error) }, "labels wait"));
      return true;
    },
    syncLabels: async () => {
      for (const { id, address } of await listUnsynced(deps.db, labelsByState(deps.labels))) {
        await deps.withIssueLock(issueName(address), async () => await deps.syncLabels(id)).catch(unlessBusy);
      }
    },
    recover: async () => await recover(deps),
    checkReviews: async (repositoryId, changed) => {
      const due = await listReviewsToLookAt(db, repositoryId, changed);
      await deps.jobs.ensureWakes(
        due.map((issueId) => ({ issueId, at: "now" as const })),
        "background",
      );
    },
  };
}

function deliveryDeps(deps: WakeDeps): ProcessDeps {
  return { ...deps, debounce: async (issue, asked) => await debounce(issue, asked, deps) };
}

/**
 * Runs in one process at a time, with a few statements per thousand issues. What people ask for directly does not queue
 * behind older work (R-SCALE-1).
 */
async function recover({ db, jobs }: OrchestratorDeps): Promise<void> {
  await db.withLock("recover", async () => {
    for await (const page of pagesWithDeliveries(db)) {
      await jobs.sendMissingEvents(page.map((issue) => ({ issue: issueName(issue), priority: "background" })));
    }
    for await (const page of pagesOfUnfinished(db)) await jobs.ensureWakes(page, "background");
    const stops = (await listDueStops(db)).map(({ issueId, resumesAt }) => ({ issueId, at: resumesAt }));
    await jobs.ensureWakes(stops, "background");
    await jobs.sendTasks((await listOpenTasks(db)).map(({ id, issueNumber }) => ({ id, rank: issueNumber })));
  });
}

/** Maximum number of passes: each may find something that has to be processed first. */
const MOST_PASSES = 3;

async function catchUp(issueId: string, deps: WakeDeps): Promise<void> {
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    try {
      await processDeliveries(await getIssue(deps.db, issueId), deliveryDeps(deps));
      const { state } = await getIssue(deps.db, issueId);
      if (WAITS[state].wake === "rest" || (await isJustSeen(deps.db, issueId, RECHECK_HOLDS_MS))) return;
      await wake(issueId, false, deps);
    } catch (error) {
      if (!(error instanceof Postponed)) throw error;
    }
  }
  throw new Postponed("what the tracker shows of the issue is not processed yet", { retryAfterMs: RECHECK_HOLDS_MS });
}

async function wakeNow(issueId: string, deps: OrchestratorDeps, priority: Priority = "direct"): Promise<void> {
  await sendTaskAgain(issueId, deps);
  await wakeAfter(issueId, 0, deps, priority);
}

/** Another worker holds the issue, and syncs its labels when it is done. */
function unlessBusy(error: unknown): void {
  if (!(error instanceof RelayError && error.code === "conflict")) throw error;
}

/** Milliseconds; a shorter wait is over before anybody reads of it. */
const REPORTED_MS = 60_000;

/**
 * Runs work on an issue that people wait for. If the tracker's limit keeps it waiting, the status comment says until
 * when (R-SCALE-2); the error is rethrown, so that the job retries then.
 */
async function reportingLimit<T>(
  find: () => Promise<Issue | null>,
  work: () => Promise<T>,
  { db, jobs }: Pick<OrchestratorDeps, "db" | "jobs">,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const ms = error instanceof RelayError && error.code === "rate_limited" ? (error.retryAfterMs ?? 0) : 0;
    const issue = ms >= REPORTED_MS && currentPriority() !== "background" ? await find() : null;
    if (issue !== null) {
      await setLimitWait(db, issue.id, ms);
      // At this priority the write goes through as long as any write is left.
      await withPriority("direct", async () => await jobs.sendStatus(issue));
    }
    throw error;
  }
}
