import type { ThreadMessage } from "../domain/conversation.ts";
import { type TrackerEvent, isFound, isSpeech } from "../domain/event.ts";
import { issueName } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import { RelayError } from "../lib/errors.ts";
import type { ThreadFetch } from "../storage/threads.ts";
import { type FetchDeps, fetchDiscussion, numbersOf } from "./discussion.ts";
import { toComments, toMessages } from "./thread.ts";
import { LOOKS, MAY_LAG, NotShownYet, showsComment } from "./lag.ts";
import { unlessMissing } from "../adapters/trackers/missing.ts";
import type { TrackerComment, TrackerIssue } from "../adapters/trackers/tracker.ts";

const HOUR = 60 * 60_000;
/** Longest time between full fetches: incremental ones miss some changes, such as renamed authors. */
const WHOLE_AT_LEAST = 24 * HOUR;
/** The same if the tracker hides comments, which makes its count less reliable. */
const WHOLE_AT_LEAST_UNSURE = HOUR;
const REFRESHES_UNSURE = 50;
/**
 * For this long after an event, a list shorter than the tracker's own count is treated as stale (R-IN-6); after that,
 * the missing comments are assumed hidden.
 */
const PATIENCE = 10 * 60_000;

export interface StoredDiscussion {
  messages: ThreadMessage[];
  fetch: ThreadFetch | null;
}

interface Deps extends FetchDeps {
  clock: Clock;
  /** The issue as it was just fetched, if it was. */
  issue?: TrackerIssue;
  /** How often the tracker was looked at for this event before. */
  looks?: number;
  /** Events of the thread from other deliveries a moment before. */
  earlier?: readonly TrackerEvent[];
  /** Whether another delivery says that this event's comment was deleted. */
  isDeleted?: (event: TrackerEvent) => Promise<boolean>;
}

/**
 * The current issue and discussion, with as few requests as possible (R-IN-5): no thread request if the event is not
 * about the thread and its length is unchanged; otherwise the changes since the last fetch; or the whole thread, if the
 * changes do not add up, if `whole` is set, and from time to time.
 *
 * Throws the tracker's error, `unavailable` if its list is shorter than its count, or `NotShownYet` as long as the
 * thread lacks a delivered comment (R-IN-11); never returns a partial thread (R-IN-6).
 */
export async function refreshDiscussion(
  event: TrackerEvent,
  stored: StoredDiscussion | null,
  whole: boolean,
  deps: Deps,
): Promise<RefreshedDiscussion> {
  const refreshed = await fetchAnew(event, stored, whole, deps);
  for (const told of [event, ...(deps.earlier ?? [])]) {
    await expectShown(told, refreshed, stored?.messages ?? [], deps);
  }
  return refreshed;
}

async function fetchAnew(
  event: TrackerEvent,
  stored: StoredDiscussion | null,
  whole: boolean,
  deps: Deps,
): Promise<RefreshedDiscussion> {
  const known = stored?.fetch ?? null;
  const byChanges = stored !== null && known !== null && !whole && !isDue(event, known, deps.clock.now());
  if (byChanges) {
    const refreshed =
      (isSpeech(event) ? null : await glance(event, stored.messages, known, deps)) ??
      (await fetchChanges(event, stored.messages, known, deps));
    if (refreshed) return refreshed;
  }
  const knownHidden = known?.hiddenComments ?? 0;
  const first = byChanges ? null : deps.issue;
  const { issue, messages, hiddenComments, isExplained, steady } = await fetchDiscussion(
    event,
    deps,
    knownHidden,
    first,
  );
  const { looks = 0 } = deps;
  // However old the event is: the list may be behind what happened last.
  const fresh = looks < LOOKS.counted;
  const short = hiddenComments > knownHidden && !isExplained;
  const long = hiddenComments < Math.min(knownHidden, 0);
  const older = known !== null && issue.updatedAt < known.issueUpdatedAt;
  if (fresh && (short || older || (long && event.kind === "comment_deleted"))) {
    throw new NotShownYet(`the tracker’s answers about ${issueName(event)} are behind`, looks);
  }
  const lost = short && stored !== null && messages.length < stored.messages.length;
  if (lost && deps.clock.now().getTime() - event.at.getTime() < PATIENCE) {
    throw new RelayError(
      "unavailable",
      `${issueName(event)} has ${issue.commentCount} comments and the tracker lists ${messages.length}, fewer than are stored; those are kept, and the list is asked for again`,
    );
  }
  // A list that is longer than the count is the newer of the two: what the numbers are is seen the next time.
  const numbers =
    fresh && long
      ? { fullFetchAt: null, hiddenComments: knownHidden }
      : { fullFetchAt: steady ? deps.clock.now() : null, hiddenComments };
  const fetch = { ...numbers, refreshes: 0, ...seenOf(issue) };
  return { issue, messages, fetch };
}

/** Whether the issue changed so long after the event that every list must show the event. */
function isOvertaken({ at }: TrackerEvent, { updatedAt }: TrackerIssue): boolean {
  return updatedAt.getTime() - at.getTime() > MAY_LAG;
}

function isOld(event: TrackerEvent, issue: TrackerIssue, { clock }: Deps): boolean {
  return isOvertaken(event, issue) || clock.now().getTime() - event.at.getTime() > MAY_LAG;
}

/**
 * Throws `NotShownYet` until the thread shows the comment of the event, or the comment turns out to be deleted.
 */
async function expectShown(
  event: TrackerEvent,
  { issue, messages }: Pick<RefreshedDiscussion, "issue" | "messages">,
  stored: readonly ThreadMessage[],
  deps: Deps,
): Promise<void> {
  const { tracker, log, looks = 0, isDeleted } = deps;
  const { commentId } = event;
  const shown = showsComment(event, messages, stored);
  if (commentId === null || shown === "yes" || (shown === "perhaps" && looks >= LOOKS.counted)) return;
  if (event.kind !== "comment_deleted") {
    if ((await isDeleted?.(event)) === true) return;
    const asks = looks >= LOOKS.listed || isOld(event, issue, deps);
    if (asks && (await unlessMissing(tracker.getComment(event, commentId))) === null) return;
  }
  const about = { issue: issueName(event), comment: commentId, event: event.kind };
  if (looks < LOOKS.all) {
    log.info({ ...about, looks }, "the tracker does not show yet what a delivery told of");
    throw new NotShownYet(`comment ${commentId} of ${issueName(event)} is not shown yet as it was told`, looks);
  }
  log.warn(about, "the tracker never showed what a delivery told of");
}

/** Whether a full fetch is due, regardless of what changed. */
function isDue(event: TrackerEvent, { fullFetchAt, refreshes, hiddenComments }: ThreadFetch, now: Date): boolean {
  if (fullFetchAt === null || isFound(event)) return true;
  const age = now.getTime() - fullFetchAt.getTime();
  // In the future: a clock was set back.
  if (age < -HOUR || age > WHOLE_AT_LEAST) return true;
  return hiddenComments !== 0 && (age > WHOLE_AT_LEAST_UNSURE || refreshes >= REFRESHES_UNSURE);
}

/** One request, for events that do not touch the thread: stored messages with current roles. */
async function glance(
  event: TrackerEvent,
  messages: ThreadMessage[],
  fetch: ThreadFetch,
  { tracker, ...deps }: Deps,
): Promise<RefreshedDiscussion | null> {
  const issue = deps.issue ?? (await tracker.getIssue(event));
  if (issue.commentCount !== fetch.commentCount) return null;
  // Keep the time of the last change: its cause was not examined.
  return { issue, messages: toMessages(issue, toComments(messages), tracker.bot), fetch };
}

/** Replication lag of trackers: how late a change may show up, in milliseconds. */
const LAG = 2 * 60_000;
/** Recent threads to check besides that of the event; each may cost a request. */
const MOST_RECENT_THREADS = 5;

export interface RefreshedDiscussion {
  issue: TrackerIssue;
  messages: ThreadMessage[];
  fetch: ThreadFetch;
}

/**
 * The stored thread with the changes since its last fetch, or null if they may be incomplete. Makes a constant number
 * of requests, however long the thread is.
 *
 * Why the result M equals a full fetch. Let S be the stored comments, which equal those of the tracker at the time of
 * the last fetch; let T be the tracker's now, n their number, and C those made or edited since, by the tracker's own
 * times. All of T is in S or was made since: T ⊆ S ∪ C. M is S ∪ C without the comment that the event calls deleted, if
 * C does not hold it: ids are never reused, so it is not in T, and T ⊆ M. A finite set that contains another and has no
 * more elements is equal to it, so |M| = n implies M = T, even if events were lost or arrived out of order. Comments
 * edited since are in C, so the texts are those of T, too. Where lists lag, T is the thread as they show it: it counts
 * only once it shows what the event told (R-IN-11).
 *
 * If M is larger, a deletion was not reported, or a comment was made between the two requests: one more look
 * distinguishes these, at a constant cost. If it is smaller, or the event names a comment that M lacks and that is not
 * soon listed, something was inserted into the past of the thread, and only a full fetch finds it. Changes between the two requests can make M a
 * superset of T, never less; their own event follows, and the next refresh finds that the numbers differ.
 *
 * If the tracker counts comments that it does not list, their number at the last full fetch is subtracted from n. If it
 * changes in the same hour as an unreported deletion, M may be wrong until that hour is over (see `refresh.ts`).
 */
async function fetchChanges(
  event: TrackerEvent,
  messages: ThreadMessage[],
  fetch: ThreadFetch,
  deps: Deps,
): Promise<RefreshedDiscussion | null> {
  const { tracker, log, looks = 0 } = deps;
  const since = changedSince(messages, fetch);
  const threads = threadsOf(event, messages, since);
  for (let look = 1; look <= 2; look += 1) {
    // The issue first: a comment deleted between the two is then still counted, and goes with its own event.
    const issue = (look === 1 ? deps.issue : null) ?? (await tracker.getIssue(event));
    const changed = await tracker.listChangedComments(event, since, threads);
    if (changed === null) return null;
    const comments = merge(toComments(messages), changed, event);
    if (namesAnother(event, comments)) {
      // A whole thread may be long: it is asked for only once a fresh list should show the comment.
      if (looks < LOOKS.unsure && !isOld(event, issue, deps)) {
        await expectShown(event, { issue, messages: [] }, messages, deps);
      }
      return null;
    }
    const surplus = comments.length + fetch.hiddenComments - issue.commentCount;
    if (surplus < 0) return null;
    if (surplus === 0) {
      log.info({ ...numbersOf(event, comments), pages: 0, changed: changed.length }, "discussion brought up to date");
      const merged = toMessages(issue, comments, tracker.bot);
      return { issue, messages: merged, fetch: { ...fetch, refreshes: fetch.refreshes + 1, ...seenOf(issue) } };
    }
  }
  return null;
}

/**
 * Changes after this time may not be stored yet, by the tracker's clock. No message is newer than the last fetch; one
 * that claims to be was imported with its own time, so the issue's time caps it.
 */
function changedSince(messages: readonly ThreadMessage[], { issueUpdatedAt }: ThreadFetch): Date {
  const newest = messages.reduce(
    (latest, { timestamp, editedAt }) => Math.max(latest, timestamp.getTime(), editedAt?.getTime() ?? 0),
    0,
  );
  const until = newest === 0 ? issueUpdatedAt.getTime() : Math.min(newest, issueUpdatedAt.getTime());
  return new Date(until - LAG);
}

/** Threads that may have changed: that of the event, and the most recently active ones. */
function threadsOf(event: TrackerEvent, messages: readonly ThreadMessage[], since: Date): string[] {
  const recent = messages
    .filter(({ timestamp, editedAt }) => timestamp >= since || (editedAt !== null && editedAt >= since))
    .map(({ externalThreadId }) => externalThreadId)
    .slice(-MOST_RECENT_THREADS);
  return [...new Set([event.threadId, ...recent])].filter((id) => id !== null);
}

function merge(stored: TrackerComment[], changed: readonly TrackerComment[], event: TrackerEvent): TrackerComment[] {
  const all = new Map(stored.map((comment) => [comment.id, comment]));
  if (event.kind === "comment_deleted" && event.commentId !== null) all.delete(event.commentId);
  for (const comment of changed) {
    const known = all.get(comment.id);
    // A list that lags shows an earlier version.
    if (known?.editedAt && known.editedAt > (comment.editedAt ?? comment.createdAt)) continue;
    // A changed comment without a thread stays in the thread it is stored with.
    all.set(comment.id, { ...comment, threadId: comment.threadId ?? known?.threadId ?? null });
  }
  return [...all.values()];
}

function namesAnother({ kind, commentId }: TrackerEvent, comments: readonly TrackerComment[]): boolean {
  if (kind !== "commented" && kind !== "comment_edited") return false;
  return commentId !== null && !comments.some(({ id }) => id === commentId);
}

function seenOf(issue: TrackerIssue): Pick<ThreadFetch, "commentCount" | "issueState" | "issueUpdatedAt"> {
  return { commentCount: issue.commentCount, issueState: issue.state, issueUpdatedAt: issue.updatedAt };
}
