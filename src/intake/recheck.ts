import type { Tracker, TrackerIssue } from "../adapters/trackers/tracker.ts";
import type { CodeHost } from "../adapters/trackers/code-host.ts";
import { buildEvent } from "../domain/event.ts";
import { type Issue, type IssueAddress, addressOf } from "../domain/issue.ts";
import { STATUS_KEY } from "../domain/marker.ts";
import type { Clock } from "../lib/clock.ts";
import { Postponed, nullIfNotFound } from "../lib/errors.ts";
import { mayHalt } from "./deciding-words.ts";
import { closeIfGone } from "./gone.ts";
import type { Db } from "../storage/db.ts";
import { listHalting } from "../storage/deliveries.ts";
import { lastShown } from "../storage/posts.ts";
import { findLastSeen, findThreadFetch, isJustSeen, markSeenNow } from "../storage/threads.ts";
import { type Taking, differenceOf, takeAfterLast } from "./reconcile.ts";

/** Milliseconds for which a look at the tracker holds; a later push or post looks again (R-LIFE-10). */
export const RECHECK_HOLDS_MS = 5_000;
/** Milliseconds after which work that a look postponed continues. */
const CONTINUES_MS = 1_000;

interface Deps extends Taking {
  tracker: Tracker;
}

interface Rechecking extends Deps {
  codeHost: () => Promise<Pick<CodeHost, "getProject">>;
  clock: Clock;
}

/** Throws `Postponed` while a delivery waits that may end or stop what Relay does: it is processed before any post. */
export async function yieldToHalt(issue: IssueAddress, db: Db): Promise<void> {
  const waiting = await listHalting(db, issue);
  if (waiting.some((event) => event === null || mayHalt(event))) throw postponed("a close or a stop");
}

/**
 * Yields to a halt that waits. Then looks at the tracker by one request, unless it just did: a difference from the stored
 * issue is processed like a lost delivery, and the post that was about to happen waits for that: throws `Postponed` then.
 */
export async function recheck(issue: Issue, deps: Rechecking): Promise<void> {
  await yieldToHalt(issue, deps.db);
  if (await isJustSeen(deps.db, issue.id, RECHECK_HOLDS_MS)) return;
  const now = await deps.tracker.getIssue(issue).catch(async (error: unknown) => {
    const placeOf = async () => ({ tracker: deps.tracker, codeHost: await deps.codeHost() });
    return nullIfNotFound(await closeIfGone(error, issue, { ...deps, placeOf }));
  });
  const difference = now && (await differenceFrom(issue, now, deps));
  const isOwn = now !== null && difference?.kind === "edited" && (await isOwnEdit(issue, now, deps));
  if (difference && !isOwn && (await takeAfterLast(difference, deps))) throw postponed("what the tracker shows");
  await markSeenNow(deps.db, issue.id);
}

/** Times of an issue and of its comments may differ by this, in milliseconds. */
const SAME_MOMENT = 1_000;

/** Whether nothing was done in the issue after Relay wrote its status comment last, so that nothing is new. */
async function isOwnEdit(issue: Issue, now: TrackerIssue, { db }: Deps): Promise<boolean> {
  const written = await lastShown(db, issue.id, STATUS_KEY);
  const fetch = written && (await findThreadFetch(db, issue.id));
  if (written === null || fetch === null) return false;
  const isCounted = now.commentCount === fetch.commentCount + (written.isStored ? 0 : 1);
  return isCounted && now.updatedAt.getTime() <= written.at.getTime() + SAME_MOMENT;
}

/** For an issue that was just fetched: throws `Postponed` if it was closed or Relay unassigned, which is processed first. */
export async function yieldIfEnded(issue: Issue, now: TrackerIssue, deps: Deps): Promise<void> {
  const difference = await differenceFrom(issue, now, deps);
  const isEnd = difference?.kind === "closed" || difference?.kind === "unassigned";
  if (isEnd && (await takeAfterLast(difference, deps))) throw postponed("what the tracker shows");
}

/**
 * For an issue whose list of comments lags behind the tracker's own count: stores a delivery, as if comparing had found an
 * edit. Looks at the tracker are counted with that delivery, and the wake-ups of the issue wait for it.
 */
export async function storeAsFound(issue: Issue, deps: Taking): Promise<void> {
  const fetch = await findThreadFetch(deps.db, issue.id);
  const at = fetch?.issueUpdatedAt ?? issue.openedAt;
  await takeAfterLast(buildEvent({ ...addressOf(issue), kind: "edited", at }), deps);
}

async function differenceFrom(issue: Issue, now: TrackerIssue, { db, tracker }: Deps) {
  const seen = await findLastSeen(db, issue.repositoryId, [issue.externalIssueId]);
  return differenceOf(now, seen.get(issue.externalIssueId) ?? null, [tracker.bot, ...tracker.calledAs]);
}

function postponed(what: string): Postponed {
  return new Postponed(`${what} is processed before anything is posted`, { retryAfterMs: CONTINUES_MS });
}
