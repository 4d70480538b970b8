import type { TrackerEvent } from "../domain/event.ts";
import { isOfPullRequest, isSpeech } from "../domain/event.ts";
import type { Issue, IssueAddress } from "../domain/issue.ts";
import { issueName } from "../domain/issue.ts";
import { announceCancellation } from "../approval/cancel-task.ts";
import { isClosedByMerge, openRequestOf } from "../implementation/pull-request/pull-request-closed.ts";
import type { Decision } from "../intake/decide.ts";
import type { IntakeDeps } from "../intake/process.ts";
import { processEvent } from "../intake/process.ts";
import type { EventJob } from "../intake/receive.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import { MOST_ATTEMPTS, countFailure, deadLetterDelivery } from "../storage/dead-letters.ts";
import type { WaitingDelivery } from "../storage/deliveries.ts";
import { markProcessed, nextDelivery } from "../storage/deliveries.ts";
import type { Db } from "../storage/db.ts";
import { findIssue, findIssueById, listInReview } from "../storage/issues.ts";
import { findRequestByBranch, findRequestByNumber } from "../storage/task-requests.ts";
import type { StoredRepository } from "../storage/repositories.ts";
import type { CodeHost } from "../adapters/trackers/code-host.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import { isAmong } from "../domain/login.ts";

export interface ProcessDeps extends Omit<IntakeDeps, "tracker" | "repository"> {
  repositoryOf: (event: TrackerEvent) => Promise<StoredRepository | null>;
  trackerFor: (repository: StoredRepository) => Promise<Tracker>;
  codeHostFor: (repository: StoredRepository) => Promise<CodeHost>;
  withIssueLock: <T>(issue: string, work: () => Promise<T>) => Promise<T>;
  jobs: {
    sendEvents: (jobs: EventJob[]) => Promise<void>;
    setWake: (issueId: string, at: Date) => Promise<void>;
  };
  /** Starts the debounce that the event asks for. */
  debounce: (issue: Issue, asked: "now" | "quiet") => Promise<void>;
  syncLabels: (issueId: string) => Promise<void>;
}

/** `failed`: what the event is about is not there or cannot be taken; it is kept as a dead letter. */
export interface ProcessedDelivery {
  decision: Decision["kind"] | "failed";
  issueId: string | null;
}

/** What one job works off before the jobs of other issues get their turn. */
const MOST_IN_A_ROW = 50;

/**
 * Works off the deliveries of an issue that wait, in the order they were taken in (R-IN-3). Passing troubles are
 * thrown, and the delivery is the first again next time; other failures too, until it is given up after 8 of them.
 */
export async function processDeliveries(issue: IssueAddress, deps: ProcessDeps): Promise<ProcessedDelivery[]> {
  const done: ProcessedDelivery[] = [];
  // Of many jobs for an issue, all but the first find this.
  if ((await nextDelivery(deps.db, issue)) === null) return done;
  return await deps.withIssueLock(issueName(issue), async () => {
    for (;;) {
      const delivery = await nextDelivery(deps.db, issue);
      if (delivery === null) return done;
      if (done.length === MOST_IN_A_ROW) {
        await deps.jobs.sendEvents([{ issue: issueName(issue), background: false }]);
        return done;
      }
      done.push(await process(issueName(issue), delivery, deps));
    }
  });
}

async function process(issue: string, delivery: WaitingDelivery, deps: ProcessDeps): Promise<ProcessedDelivery> {
  const { db, clock, log } = deps;
  const { id, event } = delivery;
  try {
    if (event === null) throw new RelayError("invalid", "the stored event cannot be read");
    return await processWith(id, event, deps);
  } catch (error) {
    if (error instanceof RelayError && error.retryable) throw error;
    const hopeless = isHopeless(error) || delivery.attempts + 1 >= MOST_ATTEMPTS;
    if (!hopeless) {
      await countFailure(db, id, messageOf(error));
      throw error;
    }
    await deadLetterDelivery(db, id, messageOf(error), clock);
    log.error({ delivery: id, issue, error: messageOf(error) }, "event given up");
    return { decision: "failed", issueId: null };
  }
}

async function processWith(id: string, told: TrackerEvent, deps: ProcessDeps): Promise<ProcessedDelivery> {
  const { db, clock } = deps;
  const repository = await deps.repositoryOf(told);
  if (!repository) {
    await markProcessed(db, id, "drop: unknown repository", clock);
    return { decision: "drop", issueId: null };
  }
  const { externalProjectId } = repository;
  if (externalProjectId === told.externalProjectId) return await processHere(id, told, repository, deps);
  // Told under an earlier name: the issue has its lock by the present one.
  const event = { ...told, externalProjectId };
  return await deps.withIssueLock(issueName(event), async () => await processHere(id, event, repository, deps));
}

async function processHere(
  id: string,
  event: TrackerEvent,
  repository: StoredRepository,
  deps: ProcessDeps,
): Promise<ProcessedDelivery> {
  const { db, clock, log } = deps;
  const tracker = await deps.trackerFor(repository);
  if (isOfPullRequest(event)) return await processOfRequest(id, event, tracker, deps);
  const known = event.kind === "closed" ? await findMerged(event, repository, deps) : null;
  if (known !== null) {
    if (known.state !== "done") await deps.debounce(known, "now");
    await markProcessed(db, id, "refresh: closed by its request", clock);
    return { decision: "refresh", issueId: known.id };
  }
  const { decision, issue } = await processEvent(event, { ...deps, tracker, repository });
  if (issue && decision.kind !== "drop") {
    if (decision.kind === "stop") {
      await announceCancellation(issue, decision.reason, { ...deps, tracker });
    }
    if ("wake" in decision && decision.wake !== "no") await deps.debounce(issue, decision.wake);
    // Where a crash came between a wait and its job, this is the same event once more.
    else if (decision.kind === "refresh" && issue.debounceUntil) await deps.jobs.setWake(issue.id, issue.debounceUntil);
    await deps.syncLabels(issue.id);
  }
  await markProcessed(db, id, decision.kind, clock);
  const { kind, outcome } = event;
  log.info({ delivery: id, event: kind, outcome, issue: issueName(event), decision }, "event processed");
  return { decision: decision.kind, issueId: issue?.id ?? null };
}

/** The issue, where the merge of its own request closed it. */
async function findMerged(
  event: TrackerEvent,
  repository: StoredRepository,
  { db, clock, codeHostFor }: ProcessDeps,
): Promise<Issue | null> {
  const known = await findIssue(db, event);
  if (known === null) return null;
  return (await isClosedByMerge(known, { db, clock, codeHost: await codeHostFor(repository) })) ? known : null;
}

/**
 * What happened to a request is looked up when its issue wakes, so that lost deliveries and repeated ones make no
 * difference; words get a quiet wait, since reviews come in many pieces.
 */
async function processOfRequest(
  id: string,
  event: TrackerEvent,
  tracker: Tracker,
  deps: ProcessDeps,
): Promise<ProcessedDelivery> {
  const { db, clock, log } = deps;
  // Its base has moved, and so has that of the others: they may conflict with it now.
  if (event.kind === "pull_request_merged") await lookAtOthers(event, deps);
  const own = isAmong(event.actor, [tracker.bot, ...tracker.calledAs]);
  const request = own ? null : await findRequestOf(db, event);
  const issue = request && (await findIssueById(db, request.issueId));
  if (issue === null) {
    await markProcessed(db, id, own ? "drop: Relay's own doing" : "drop: no request of Relay's", clock);
    return { decision: "drop", issueId: null };
  }
  if ((await openRequestOf(issue, db)) === null) {
    await markProcessed(db, id, "drop: nothing waits for it", clock);
    return { decision: "drop", issueId: issue.id };
  }
  const words = isSpeech(event) || event.kind === "review_commented" || event.kind === "review_submitted";
  await deps.debounce(issue, words ? "quiet" : "now");
  await markProcessed(db, id, `review: ${event.kind}`, clock);
  log.info({ delivery: id, event: event.kind, issue: issueName(issue) }, "request will be looked at");
  return { decision: "refresh", issueId: issue.id };
}

async function lookAtOthers(event: TrackerEvent, { db, clock, jobs }: ProcessDeps): Promise<void> {
  for (const id of await listInReview(db, event)) await jobs.setWake(id, clock.now());
}

/** By its number, or by its branch where a check tells of nothing else. */
async function findRequestOf(db: Db, event: TrackerEvent) {
  const { externalProjectId, externalIssueId, branch } = event;
  const number = Number(externalIssueId.slice(1));
  const found = Number.isSafeInteger(number) ? await findRequestByNumber(db, externalProjectId, number) : null;
  return found ?? (branch === null ? null : await findRequestByBranch(db, externalProjectId, branch));
}

/** The issue is gone, or more than Relay takes: no later try can change that. */
function isHopeless(error: unknown): boolean {
  return (
    error instanceof RelayError &&
    !error.retryable &&
    (error.code === "not_found" || error.code === "invalid" || error.code === "too_large")
  );
}
