import type { ThreadMessage } from "../domain/conversation.ts";
import { type TrackerEvent, isFound, isSpeech } from "../domain/event.ts";
import { issueName } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import { RelayError } from "../lib/errors.ts";
import type { ThreadFetch } from "../storage/threads.ts";
import { type FetchDeps, fetchDiscussion, numbersOf } from "./discussion.ts";
import { toComments, toMessages } from "./thread.ts";
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

type Deps = FetchDeps & { clock: Clock };

/**
 * The current issue and discussion, with as few requests as possible (R-IN-5): no thread request if the event is not
 * about the thread and its length is unchanged; otherwise the changes since the last fetch; or the whole thread, if the
 * changes do not add up, if `whole` is set, and from time to time.
 *
 * Throws the tracker's error, or `unavailable` if its list is shorter than its count; never returns a partial thread
 * (R-IN-6).
 */
export async function refreshDiscussion(
  event: TrackerEvent,
  stored: StoredDiscussion | null,
  whole: boolean,
  deps: Deps,
): Promise<RefreshedDiscussion> {
  const known = stored?.fetch ?? null;
  if (stored !== null && known !== null && !whole && !isDue(event, known, deps.clock.now())) {
    const refreshed =
      (isSpeech(event) ? null : await glance(event, stored.messages, known, deps)) ??
      (await fetchChanges(event, stored.messages, known, deps));
    if (refreshed) return refreshed;
  }
  const { issue, messages, hiddenComments, steady } = await fetchDiscussion(event, deps, known?.hiddenComments);
  const lost =
    stored !== null && messages.length < stored.messages.length && hiddenComments > (known?.hiddenComments ?? 0);
  if (lost && deps.clock.now().getTime() - event.at.getTime() < PATIENCE) {
    throw new RelayError(
      "unavailable",
      `${issueName(event)} has ${issue.commentCount} comments and the tracker lists ${messages.length}, fewer than are stored; those are kept, and the list is asked for again`,
    );
  }
  const fetch = { fullFetchAt: steady ? deps.clock.now() : null, refreshes: 0, hiddenComments, ...seenOf(issue) };
  return { issue, messages, fetch };
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
  { tracker }: Deps,
): Promise<RefreshedDiscussion | null> {
  const issue = await tracker.getIssue(event);
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
 * edited since are in C, so the texts are those of T, too.
 *
 * If M is larger, a deletion was not reported, or a comment was made between the two requests: one more look
 * distinguishes these, at a constant cost. If it is smaller, or the event names a comment that M lacks, something was
 * inserted into the past of the thread, and only a full fetch finds it. Changes between the two requests can make M a
 * superset of T, never less; their own event follows, and the next refresh finds that the numbers differ.
 *
 * If the tracker counts comments that it does not list, their number at the last full fetch is subtracted from n. If it
 * changes in the same hour as an unreported deletion, M may be wrong until that hour is over (see `refresh.ts`).
 */
export async function fetchChanges(
  event: TrackerEvent,
  messages: ThreadMessage[],
  fetch: ThreadFetch,
  { tracker, log }: FetchDeps,
): Promise<RefreshedDiscussion | null> {
  const since = changedSince(messages, fetch);
  const threads = threadsOf(event, messages, since);
  for (let look = 1; look <= 2; look += 1) {
    // The issue first: a comment deleted between the two is then still counted, and goes with its own event.
    const issue = await tracker.getIssue(event);
    const changed = await tracker.listChangedComments(event, since, threads);
    if (changed === null) return null;
    const comments = merge(toComments(messages), changed, event);
    if (namesAnother(event, comments)) return null;
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
    // A changed comment without a thread stays in the thread it is stored with.
    const threadId = comment.threadId ?? stored.find(({ id }) => id === comment.id)?.threadId ?? null;
    all.set(comment.id, { ...comment, threadId });
  }
  return [...all.values()];
}

function namesAnother({ kind, commentId }: TrackerEvent, comments: readonly TrackerComment[]): boolean {
  if (kind !== "commented" && kind !== "comment_edited") return false;
  return commentId !== null && !comments.some(({ id }) => id === commentId);
}

export function seenOf(issue: TrackerIssue): Pick<ThreadFetch, "commentCount" | "issueState" | "issueUpdatedAt"> {
  return { commentCount: issue.commentCount, issueState: issue.state, issueUpdatedAt: issue.updatedAt };
}
