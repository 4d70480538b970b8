import type { ConversationMessage } from "../domain/conversation.ts";
import type { IssueAddress } from "../domain/issue.ts";
import { RelayError } from "../lib/errors.ts";
import type { Tracker, TrackerComment } from "../adapters/trackers/tracker.ts";
import { sameLogin } from "../domain/login.ts";

/** Stops at longer threads (R-SAFE-5), at 100 comments a page. */
const MAX_PAGES = 1_000;
/** Allowed lag of the tracker, in milliseconds. */
const LAG = 10 * 60_000;

type StoredMessage = Pick<
  ConversationMessage,
  "role" | "timestamp" | "editedAt" | "content" | "externalId" | "externalThreadId"
>;

export type OwnComment = Pick<TrackerComment, "id" | "threadId" | "body" | "createdAt">;

/**
 * Relay's comment with this marker (R-ACT-5). Only Relay's own comments count, and only with the marker as their last
 * line: anyone can paste one.
 *
 * A comment that is not in the stored thread was posted after its newest message, by the tracker's clock, so only
 * comments since then are searched. `firstTriedAt`, by Relay's clock, may only move that time back, for threads with
 * messages from the future. The whole thread is read if none of it is stored, or if the tracker cannot list changes.
 */
export async function findOwnComment(
  marker: string,
  { issue, messages, firstTriedAt, threadId = null, tracker }: Search,
): Promise<OwnComment | null> {
  const known = messages.find(({ role, content }) => role === "self" && endsWith(content, marker));
  if (known) {
    return {
      id: known.externalId,
      threadId: known.externalThreadId,
      body: known.content,
      createdAt: known.timestamp,
    };
  }
  const isIt = ({ author, body }: TrackerComment) => sameLogin(author, tracker.bot) && endsWith(body, marker);
  const since = newestOf(messages, firstTriedAt);
  const recent =
    since && (await tracker.listChangedComments(issue, new Date(since - LAG), threadId === null ? [] : [threadId]));
  if (recent) return recent.find(isIt) ?? null;
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { comments, next }: Awaited<ReturnType<typeof tracker.listComments>> = await tracker.listComments(
      issue,
      cursor,
    );
    const found = comments.find(isIt);
    if (found) return found;
    if (next === null) return null;
    cursor = next;
  }
  throw new RelayError("too_large", `the thread has more than ${MAX_PAGES * 100} comments; Relay does not take it`);
}

interface Search {
  issue: IssueAddress;
  /** The full thread as stored. */
  messages: readonly StoredMessage[];
  /** Null if unknown. */
  firstTriedAt: Date | null;
  /** The thread that the comment was for. */
  threadId?: string | null;
  tracker: Pick<Tracker, "bot" | "listComments" | "listChangedComments">;
}

function newestOf(messages: readonly StoredMessage[], firstTriedAt: Date | null): number | null {
  if (messages.length === 0) return null;
  const newest = messages.reduce(
    (latest, { timestamp, editedAt }) => Math.max(latest, timestamp.getTime(), editedAt?.getTime() ?? 0),
    0,
  );
  return Math.min(newest, firstTriedAt?.getTime() ?? newest);
}

function endsWith(body: string, marker: string): boolean {
  return body.trimEnd().endsWith(marker);
}
