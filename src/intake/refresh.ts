import type { ThreadMessage } from "../domain/conversation.ts";
import type { TrackerEvent } from "../domain/event.ts";
import { isFound, isSpeech } from "../domain/event.ts";
import { issueName } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import { RelayError } from "../lib/errors.ts";
import type { ThreadFetch } from "../storage/threads.ts";
import type { RefreshedDiscussion } from "./changes.ts";
import { fetchChanges, seenOf } from "./changes.ts";
import type { FetchDeps } from "./discussion.ts";
import { fetchDiscussion } from "./discussion.ts";
import { toComments, toMessages } from "./thread.ts";

const HOUR = 60 * 60_000;
/** How long changes alone are asked for: what they cannot tell, a new name of an author, is seen after that. */
const WHOLE_AT_LEAST = 24 * HOUR;
/** The same where the tracker counts comments that it does not list, so that its count says less. */
const WHOLE_AT_LEAST_UNSURE = HOUR;
const REFRESHES_UNSURE = 50;
/**
 * For so many milliseconds from the event on, a list that lacks comments which are stored, and which the tracker still
 * counts, is taken for its mistake (R-IN-6); then for comments that it hides.
 */
const PATIENCE = 10 * 60_000;

export interface StoredDiscussion {
  messages: ThreadMessage[];
  fetch: ThreadFetch | null;
}

type Deps = FetchDeps & { clock: Clock };

/**
 * The issue and its discussion as they are now, asking for no more than is needed (R-IN-5): nothing of the thread where
 * the event is not about it and its length is as it was; what changed since the last fetch; or the whole, where that
 * does not fit together, where `whole` says so, and from time to time.
 *
 * Throws the tracker's error, or `unavailable` where its list lacks what it counts, and never returns a part (R-IN-6).
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

/** Whether the whole has to be fetched again, whatever changed. */
function isDue(event: TrackerEvent, { fullFetchAt, refreshes, hiddenComments }: ThreadFetch, now: Date): boolean {
  if (fullFetchAt === null || isFound(event)) return true;
  const age = now.getTime() - fullFetchAt.getTime();
  // From the future: a clock was set back since.
  if (age < -HOUR || age > WHOLE_AT_LEAST) return true;
  return hiddenComments !== 0 && (age > WHOLE_AT_LEAST_UNSURE || refreshes >= REFRESHES_UNSURE);
}

/** One request, for events that do not touch the thread: its messages are the stored ones, their roles those of now. */
async function glance(
  event: TrackerEvent,
  messages: ThreadMessage[],
  fetch: ThreadFetch,
  { tracker }: Deps,
): Promise<RefreshedDiscussion | null> {
  const issue = await tracker.getIssue(event);
  if (issue.commentCount !== fetch.commentCount) return null;
  // The time of the last change stays as it was: what else it may be of was not looked at.
  return { issue, messages: toMessages(issue, toComments(messages), tracker.bot), fetch };
}
