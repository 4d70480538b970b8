import { type TrackerEvent, buildEvent, isFound } from "../domain/event.ts";
import { type IssueAddress, addressOf, issueName } from "../domain/issue.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import { currentPriority } from "../lib/priority.ts";
import type { Log } from "../lib/log.ts";
import { type LastSeen, findLastSeen } from "../storage/threads.ts";
import { type StoredRepository, findRepository, findSeenUntil, setSeenUntil } from "../storage/repositories.ts";
import { type LastDelivery, findLastDelivery, heardOf } from "../storage/deliveries.ts";
import type { Db } from "../storage/db.ts";
import type { MissedDelivery } from "../adapters/trackers/connection.ts";
import { unlessMissing } from "../adapters/trackers/missing.ts";
import type { IssueGlance, RequestGlance, Tracker } from "../adapters/trackers/tracker.ts";
import type { Receive } from "./receive.ts";
import { NOT_BY_WHO_MAY, changeOf } from "./decide.ts";
import { missedCalls, missedOpening, newComments } from "./missed-calls.ts";
import { isAmong } from "../domain/login.ts";

/** Milliseconds by which the times of a tracker's servers may differ, and by which a list may be behind. */
const MARGIN = 5 * 60_000;
/** Tolerance in milliseconds: a delivery's time is a few seconds before the issue's own. */
const SAME_MOMENT = 2_000;
/** Threads searched for calls in one run; the rest waits for the next. */
const MOST_SEARCHES = 200;

export interface ReconcileDeps {
  db: Db;
  tracker: Tracker;
  /** Deliveries that the tracker knows failed since then; null if it cannot report them. */
  missedDeliveries: (since: Date) => Promise<MissedDelivery[] | null>;
  receive: Receive;
  log: Log;
}

/** How many issues were compared, how many deliveries were missing, and the pull requests that the tracker listed with them. */
export interface Reconciled {
  compared: number;
  found: number;
  requests: RequestGlance[];
}

/**
 * Recovers deliveries missed while Relay was down or that the tracker could not send (R-IN-8): compares issues that
 * changed since the last comparison with the stored state. A difference is stored like a
 * delivery; its meaning is decided during processing, by the tracker's state then. It is found again as long as it
 * differs, since lists and counts may lag behind each other (R-IN-11). In issues that Relay is not engaged in, and that had no delivery, it searches for
 * comments that call it. Where nothing changed since a comparison that found nothing, that is one request (R-SCALE-2).
 *
 * Throws the tracker's error; the next run then starts from the same point. Times are the tracker's own.
 */
export async function reconcile(repository: StoredRepository, deps: ReconcileDeps): Promise<Reconciled> {
  const run = await begin(repository, deps);
  const { db, log } = deps;
  const { until, tag } = await compareChanged(run);
  // What differs, or was just found, is looked at again: the lists may lag.
  const isSettled = !run.differs && run.found === 0;
  await setSeenUntil(db, repository.id, { until, tag: isSettled ? tag : null });
  const { compared, found, requests, since, searches } = run;
  const figures = { project_id: repository.externalProjectId, since, until, compared, found };
  log.info(figures, "compared with the tracker");
  if (searches >= MOST_SEARCHES)
    log.warn({ ...figures, searches }, "not all threads were searched; the next time goes on");
  return { compared, found, requests };
}

/** The same for open issues that are assigned to Relay there, even if unchanged: the delivery may be long gone. */
export async function compareAssigned(
  repository: StoredRepository,
  assigned: readonly IssueGlance[],
  deps: ReconcileDeps,
): Promise<void> {
  const run = await begin(repository, deps);
  const known = await lastSeenOf(assigned, run);
  for (const glance of assigned) {
    const seen = known.get(glance.externalIssueId) ?? null;
    // The time of change covers other news of an issue that Relay works on.
    if (seen === null || seen.state === "closed") await compare(glance, seen, run);
  }
}

interface Run extends ReconcileDeps, Reconciled {
  repository: StoredRepository;
  seenUntil: Date;
  since: Date;
  /** Of the list that was compared last, if nothing in it differed. */
  tag: string | null;
  /** Deliveries that the tracker knows failed; null if it cannot tell. Asked for once, when something is missing. */
  missed: () => Promise<MissedDelivery[] | null>;
  searches: number;
  differs: boolean;
}

async function begin(repository: StoredRepository, deps: ReconcileDeps): Promise<Run> {
  const { until: seenUntil, tag } = await findSeenUntil(deps.db, repository.id);
  const since = new Date(seenUntil.getTime() - MARGIN);
  let told: ReturnType<Run["missed"]> | null = null;
  const missed = async () => await (told ??= tellMissed(repository, since, deps));
  const receive: Receive = async (delivery) => {
    const receipt = await deps.receive(delivery);
    if (receipt.kind === "repeated") return receipt;
    run.found += 1;
    await missed();
    return receipt;
  };
  const counts = { searches: 0, compared: 0, found: 0, differs: false, requests: [] };
  const run: Run = { ...deps, ...counts, receive, repository, seenUntil, since, tag, missed };
  return run;
}

/** Processes the changed issues, and returns the time up to which it did, null if none changed, and the tag of their list. */
async function compareChanged(run: Run): Promise<{ until: Date | null; tag: string | null }> {
  const { externalProjectId } = run.repository;
  let from = run.since;
  let cursor: string | null = null;
  let until: Date | null = null;
  for (;;) {
    const filter = { since: from, assignee: null, tag: until === null && cursor === null ? run.tag : null };
    const page = await run.tracker.listIssues(externalProjectId, filter, cursor);
    run.requests.push(...(page.requests ?? []));
    const known = await lastSeenOf(page.issues, run);
    for (const glance of page.issues) {
      if (run.searches >= MOST_SEARCHES && until !== null && until > run.seenUntil) return { until, tag: null };
      await compare(glance, known.get(glance.externalIssueId) ?? null, run);
      until = glance.updatedAt;
    }
    if (page.next === null) return { until, tag: page.tag ?? null };
    // An issue that changes meanwhile moves to the end, and the others move up by one. So each page starts at the last
    // time of the previous one rather than at its end; only if all its issues share one time, the cursor has to do.
    const onwards: boolean = until !== null && until > from;
    cursor = onwards ? null : page.next;
    if (onwards && until) from = until;
  }
}

async function lastSeenOf(issues: readonly IssueAddress[], { db, repository }: Run): Promise<Map<string, LastSeen>> {
  return await findLastSeen(
    db,
    repository.id,
    issues.map(({ externalIssueId }) => externalIssueId),
  );
}

async function compare(glance: IssueGlance, known: LastSeen | null, run: Run): Promise<void> {
  run.compared += 1;
  const names = [run.tracker.bot, ...run.tracker.calledAs];
  const difference = differenceOf(glance, known, names);
  if (difference) {
    run.differs = true;
    await takeAfterLast(difference, run);
  } else if ((known === null || known.state === "closed") && glance.state === "open") {
    await searchForCalls(glance, known, run);
  }
}

export type Taking = Pick<ReconcileDeps, "db" | "receive" | "log">;

/**
 * Stores a difference that was found behind the last delivery of its issue, unless it is stored there already. Whether it
 * waits to be processed.
 */
export async function takeAfterLast(event: TrackerEvent, deps: Taking): Promise<boolean> {
  const last = await findLastDelivery(deps.db, event);
  if (last !== null && isPending(last, event)) return last.isWaiting;
  await take(event, `${event.kind}:after:${last?.position ?? 0}`, deps, last?.isWaiting === true);
  return true;
}

/** Whether what was found before waits to be processed, or failed or was refused for good and nothing changed since. */
function isPending({ event, isWaiting, isDeadLetter, decision }: LastDelivery, { at }: TrackerEvent): boolean {
  if (event === null || !isFound(event)) return false;
  const isSettled = isDeadLetter || decision === `drop: ${NOT_BY_WHO_MAY}`;
  return isWaiting || (isSettled && event.at.getTime() === at.getTime());
}

/** Searches an issue that Relay is not engaged in for people who called it, unless all its deliveries arrived. */
async function searchForCalls(glance: IssueGlance, known: LastSeen | null, run: Run): Promise<void> {
  const heard = await heardOf(run.db, glance);
  const inTime = heard.until !== null && heard.until.getTime() >= glance.updatedAt.getTime() - SAME_MOMENT;
  // A call within that moment may be missing, unless the tracker says otherwise or the numbers agree.
  if (inTime && (heard.comments === glance.commentCount || (await run.missed())?.length === 0)) return;
  run.searches += 1;
  const { bot, calledAs } = run.tracker;
  const names = [bot, ...calledAs];
  const issue = known === null ? await unlessMissing(run.tracker.getIssue(glance)) : null;
  const opening = issue && missedOpening(issue, run.since, names);
  if (opening) await take(opening, "opened", run);
  if (glance.commentCount === 0) return;
  const comments = await newComments(glance, run);
  for (const call of missedCalls(glance, comments, run.since, names))
    await take(call, `comment:${call.commentId}`, run);
}

/** Begins the ids of deliveries that were found by comparing. */
export const FOUND = "reconcile:";

/** @param mayBeTold whether a delivery of the issue waits, which may well be that of this event */
async function take(found: TrackerEvent, what: string, { db, receive, log }: Taking, mayBeTold = false): Promise<void> {
  const id = `${FOUND}${issueName(found)}:${what}`;
  // Like a webhook: after a rename, only the stable id shows that the repository is one that the configuration names.
  const stableId = (await findRepository(db, found.provider, found.externalProjectId))?.stableId ?? null;
  const event = stableId === null ? found : buildEvent({ ...found, stableProjectId: stableId });
  const { kind } = await receive({
    provider: event.provider,
    deliveryId: id,
    contentKey: id,
    events: [event],
    priority: currentPriority(),
  });
  if (kind === "repeated") return;
  const about = { issue: issueName(event), event: event.kind, at: event.at };
  if (mayBeTold) log.info(about, "found while a delivery waits");
  else log.warn(about, "found without a delivery");
}

/**
 * Logs for the operator why deliveries were missed, and returns these. If the tracker cannot report this, null:
 * reconciliation still works.
 */
async function tellMissed(
  { externalProjectId }: StoredRepository,
  since: Date,
  deps: ReconcileDeps,
): Promise<MissedDelivery[] | null> {
  try {
    const missed = await deps.missedDeliveries(since);
    const [first] = missed ?? [];
    if (missed === null || !first) return missed;
    const { event, status, at } = first;
    const fields = { project_id: externalProjectId, count: missed.length, first: { event, status, at } };
    deps.log.warn(fields, "deliveries did not arrive");
    return missed;
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    deps.log.warn({ project_id: externalProjectId, error: messageOf(error) }, "missed deliveries not told");
    return null;
  }
}

/** The event of the missed delivery; null if nothing differs, or nothing that concerns Relay. */
export function differenceOf(
  glance: IssueGlance,
  known: LastSeen | null,
  names: readonly string[],
): TrackerEvent | null {
  const same =
    known === null ||
    known.state === "closed" ||
    (known.tracker?.commentCount === glance.commentCount &&
      known.tracker.updatedAt.getTime() === glance.updatedAt.getTime());
  const kind = changeOf(glance, { names, seen: known }) ?? (same ? null : "edited");
  if (kind === null) return null;
  const relay = glance.assignees.find((login) => isAmong(login, names)) ?? names[0] ?? null;
  const assignee = kind === "assigned" || kind === "unassigned" ? relay : null;
  return buildEvent({ ...addressOf(glance), kind, at: glance.updatedAt, assignee });
}
