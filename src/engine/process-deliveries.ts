import { recordWords } from "../intake/record-words.ts";
import { type TrackerEvent, isOfPullRequest } from "../domain/event.ts";
import { type Issue, type IssueAddress, issueName, issueNamed } from "../domain/issue.ts";
import { retireUnassigned } from "../approval/retire-plan.ts";
import { isClosedByMerge } from "../implementation/pull-request/pull-request-ended.ts";
import { mayHalt } from "../intake/deciding-words.ts";
import { isGone } from "../intake/gone.ts";
import { LOOKS, MAY_LAG, NotShownYet } from "../intake/lag.ts";
import { FOUND } from "../intake/reconcile.ts";
import type { Decision } from "../intake/decide.ts";
import { type IntakeDeps, processEvent } from "../intake/process.ts";
import type { EventJob } from "../intake/receive.ts";
import type { Notices } from "../notify/notices/tell.ts";
import { type PostDeps, postOnce } from "../notify/post-once.ts";
import { RelayError, messageOf, lostAccess } from "../lib/errors.ts";
import { MOST_ATTEMPTS, countFailure, deadLetterDelivery } from "../storage/dead-letters.ts";
import {
  type WaitingDelivery,
  countLook,
  isDeletionWaiting,
  listUnread,
  listWaitingNames,
  markProcessed,
  markRead,
  nextDelivery,
} from "../storage/deliveries.ts";
import { countClosings, recordAccess, recordNoAccess } from "../storage/audit.ts";
import { isRecent } from "../storage/db.ts";
import { phrases } from "../i18n/phrases.ts";
import { currentPriority, goesFirst } from "../lib/priority.ts";
import type { Log } from "../lib/log.ts";
import { currentTrace, inSpan, isInTrace, noteInSpan } from "../lib/trace.ts";
import { endDebounce, findIssue } from "../storage/issues.ts";
import type { StoredRepository } from "../storage/repositories.ts";
import { markClosed } from "../storage/threads.ts";
import type { CodeHost } from "../adapters/trackers/code-host.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import { type RequestEventDeps, findRequestOf, processRequestEvent } from "./process-request-event.ts";
import { checksNow } from "./state-machine.ts";

export interface ProcessDeps extends Omit<IntakeDeps, "tracker" | "repository">, RequestEventDeps {
  repositoryOf: (event: TrackerEvent) => Promise<StoredRepository | null>;
  trackerFor: (repository: StoredRepository) => Promise<Tracker>;
  codeHostFor: (repository: StoredRepository) => Promise<CodeHost>;
  withIssueLock: <T>(issue: string, work: () => Promise<T>) => Promise<T>;
  jobs: RequestEventDeps["jobs"] & {
    sendEvents: (jobs: EventJob[]) => Promise<void>;
    sendAcknowledgements: (names: string[]) => Promise<void>;
    setWake: (issueId: string, at: Date | number) => Promise<void>;
  };
  syncLabels: (issueId: string) => Promise<void>;
  /** Tells teams of dead letters. */
  notices?: Pick<Notices, "deadLettered"> | undefined;
}

/** `failed`: the event refers to something missing or unreadable, and became a dead letter. */
export interface ProcessedDelivery {
  decision: Decision["kind"] | "failed";
  issueId: string | null;
}

/** Deliveries that one job processes before it yields to other issues. */
const MOST_IN_A_ROW = 50;

/**
 * Processes the pending deliveries of an issue in the order they arrived (R-IN-3). Throws at an outage, at a change
 * that the tracker does not show yet (R-IN-11), and at other failures: the delivery is retried first next time. A
 * failure that no retry can change makes it a dead letter, as does the eighth of any other.
 */
export async function processDeliveries(issue: IssueAddress, deps: ProcessDeps): Promise<ProcessedDelivery[]> {
  const done: ProcessedDelivery[] = [];
  // The first of several jobs processes all; the others return here.
  if ((await nextDelivery(deps.db, issue)) === null) return done;
  if (!goesFirst()) await hurryHalting(issue, deps);
  return await deps.withIssueLock(issueName(issue), async () => {
    for (;;) {
      const delivery = await nextDelivery(deps.db, issue);
      if (delivery === null) return done;
      if (done.length === MOST_IN_A_ROW) {
        await deps.jobs.sendEvents([{ issue: issueName(issue), priority: currentPriority() }]);
        return done;
      }
      done.push(await processInTrace(issueName(issue), delivery, deps));
    }
  });
}

/** Deliveries of other issues whose words one job reads. */
const MOST_READ = 20;

/**
 * Reads words of other issues that nobody has read yet, and sends a job that goes first for those that may halt
 * something: however much waits, a stop must not wait for its turn (R-SCALE-2).
 */
async function hurryHalting(besides: IssueAddress, { db, jobs }: ProcessDeps): Promise<void> {
  const unread = await listUnread(db, besides, MOST_READ);
  if (unread.length === 0) return;
  const halting = unread.filter(({ event }) => event !== null && mayHalt(event));
  const issues = new Set(halting.flatMap(({ event }) => (event === null ? [] : [issueName(event)])));
  if (issues.size > 0) await jobs.sendEvents([...issues].map((issue) => ({ issue, priority: "direct", first: true })));
  const idsOf = (deliveries: typeof unread) => deliveries.map(({ id }) => id);
  await markRead(db, idsOf(unread), idsOf(halting));
}

/** Processes a delivery in its own trace, which may differ from the job's. */
async function processInTrace(issue: string, delivery: WaitingDelivery, deps: ProcessDeps): Promise<ProcessedDelivery> {
  const { id, trace, event } = delivery;
  const job = currentTrace();
  const isElsewhere = trace !== null && !isInTrace(trace);
  const place = isElsewhere ? { parent: trace, links: job === null ? [] : [job] } : {};
  const attributes = { "relay.issue": issue, "relay.event.kind": event?.kind ?? "unknown", "relay.delivery.row": id };
  return await inSpan("process delivery", { attributes, ...place }, async () => {
    const processed = await process(issue, delivery, deps);
    noteInSpan({ "relay.decision": processed.decision });
    return processed;
  });
}

async function process(issue: string, delivery: WaitingDelivery, deps: ProcessDeps): Promise<ProcessedDelivery> {
  const { db, clock, log } = deps;
  const { id, event } = delivery;
  try {
    if (event === null) throw new RelayError("invalid", "the stored event cannot be read");
    const processed = await processEventOf(delivery, event, { ...deps, looks: delivery.looks });
    if (processed.issueId !== null) await recordAccess(db, processed.issueId, "delivery", deps);
    return processed;
  } catch (thrown) {
    const error = (await isTooNew(thrown, delivery, deps))
      ? new NotShownYet(messageOf(thrown), delivery.looks)
      : thrown;
    if (error instanceof NotShownYet) await countLook(db, id);
    const waiting = lostAccess(error);
    if (waiting !== null) await tellNoAccess({ issue, event }, waiting.message, deps);
    if (error instanceof RelayError && error.retryable) throw error;
    if (waiting !== null) throw waiting;
    const permanent = isPermanent(error) || delivery.attempts + 1 >= MOST_ATTEMPTS;
    if (!permanent) {
      await countFailure(db, id, messageOf(error));
      throw error;
    }
    await db.transaction(async (tx) => {
      await deadLetterDelivery(tx, id, messageOf(error), clock);
      const address = issueNamed(issue);
      if (address === null) return;
      await deps.notices?.deadLettered(tx, { what: "delivery", address, issue: await findIssue(tx, address) });
    });
    log.error({ delivery: id, issue, error: messageOf(error) }, "delivery became a dead letter");
    return { decision: "failed", issueId: null };
  }
}

type Told = { issue: string; event: TrackerEvent | null };

async function tellNoAccess({ issue, event }: Told, why: string, deps: ProcessDeps): Promise<void> {
  const request = event !== null && isOfPullRequest(event) ? await findRequestOf(deps.db, event) : null;
  const address = issueNamed(issue);
  const issueId = request?.issueId ?? (address && (await findIssue(deps.db, address))?.id);
  if (issueId) await recordNoAccess(deps.db, issueId, { why, work: "delivery" }, deps);
}

/** Whether something is missing because it was created a moment ago, and no event says that it was deleted since. */
async function isTooNew(error: unknown, { event, looks }: WaitingDelivery, { db }: ProcessDeps): Promise<boolean> {
  if (!(error instanceof RelayError) || error.code !== "not_found" || error.accessLost) return false;
  if (event === null || looks >= LOOKS.all) return false;
  return (await isRecent(db, event.at, MAY_LAG)) && !(await isDeletionWaiting(db, event));
}

async function processEventOf(stored: WaitingDelivery, received: TrackerEvent, deps: ProcessDeps) {
  const { db, clock, log } = deps;
  const { id, deliveryId } = stored;
  const repository = await deps.repositoryOf(received);
  if (!repository) {
    const about = { delivery: id, event: received.kind, issue: issueName(received) };
    if (deliveryId.startsWith(FOUND))
      log.warn(about, "found without a delivery, but of an unknown repository: dropped");
    await markProcessed(db, id, "drop: unknown repository", clock);
    return { decision: "drop" as const, issueId: null };
  }
  const { externalProjectId } = repository;
  if (externalProjectId === received.externalProjectId) return await processHere(id, received, repository, deps);
  // The event uses an earlier name of the repository: the lock goes by the current one.
  const event = { ...received, externalProjectId };
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
  if (isOfPullRequest(event)) return await processRequestEvent(id, event, tracker, deps);
  const known = event.kind === "closed" ? await findMerged(event, repository, deps) : null;
  if (known !== null) {
    // A wish that waits is taken up when the issue is reopened.
    if (known.state === "done") await endDebounce(db, known);
    else await deps.debounce(known, "now");
    await markClosed(db, known.id);
    await markProcessed(db, id, "refresh: closed by its request", clock);
    return { decision: "refresh", issueId: known.id };
  }
  const codeHost = await deps.codeHostFor(repository);
  const { decision, issue } = await processEvent(event, {
    ...deps,
    tracker,
    repository,
    isClosedByMerge: async (stopping) => await isClosedByMerge(stopping, { db, clock, codeHost }),
    isGone: async (error, tracked) => await isGone(error, tracked, { tracker, codeHost, clock }),
  });
  // Only now is it known that the messages after it are for Relay.
  if (decision.kind === "engage") await deps.jobs.sendAcknowledgements(await listWaitingNames(db, event, id));
  if (issue && decision.kind !== "drop") {
    const isUnassigned = decision.kind === "stop" && decision.reason === "unassigned";
    if (isUnassigned) await retireUnassigned(issue, { ...deps, tracker });
    if (decision.kind === "decline") await tellClosed(issue, { ...deps, tracker });
    if ("wake" in decision && decision.wake !== "no") await deps.debounce(issue, decision.wake);
    // After a crash between storing the debounce and sending its job, the same event comes once more.
    else if (decision.kind === "refresh" && issue.debounceUntil) await deps.jobs.setWake(issue.id, issue.debounceUntil);
    await deps.syncLabels(issue.id);
  }
  const outcomeOf = decision.kind === "drop" ? `drop: ${decision.reason}` : decision.kind;
  await db.transaction(async (tx) => {
    const about = issue ?? (await findIssue(tx, event));
    await recordWords(tx, event, decision, about, { ...deps, tracker, checksNow: about !== null && checksNow(about) });
    await markProcessed(tx, id, outcomeOf, clock);
  });
  const { kind, outcome } = event;
  log.info({ delivery: id, event: kind, outcome, issue: issueName(event), decision }, "event processed");
  return { decision: decision.kind, issueId: issue?.id ?? null };
}

/** Answers a call or a wish in a closed issue, once until it is reopened: Relay starts then (R-LIFE-11). */
async function tellClosed(issue: Issue, deps: PostDeps & { log: Log }): Promise<void> {
  const key = `closed:${await countClosings(deps.db, issue.id)}`;
  try {
    const words = phrases("thread", issue.language)("closed");
    await postOnce(issue, { key, words, why: "called in a closed issue", atEnd: true }, deps);
  } catch (error) {
    // A locked issue takes no comments.
    if (!(error instanceof RelayError) || error.retryable) throw error;
    deps.log.warn({ issue_id: issue.id, error: messageOf(error) }, "could not tell that the issue is closed");
  }
}

/** The issue, if the merge of its own pull request closed it. */
async function findMerged(
  event: TrackerEvent,
  repository: StoredRepository,
  { db, clock, codeHostFor }: ProcessDeps,
): Promise<Issue | null> {
  const known = await findIssue(db, event);
  if (known === null) return null;
  return (await isClosedByMerge(known, { db, clock, codeHost: await codeHostFor(repository) })) ? known : null;
}

/** The issue is gone, or exceeds a limit: no retry can succeed. */
function isPermanent(error: unknown): boolean {
  return (
    error instanceof RelayError &&
    !error.retryable &&
    (error.code === "not_found" || error.code === "invalid" || error.code === "too_large")
  );
}
