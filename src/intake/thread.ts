import { type ThreadMessage, roleOf } from "../domain/conversation.ts";
import { repeatsRelay } from "../approval/read-reply.ts";
import type { TrackerComment, TrackerIssue } from "../adapters/trackers/tracker.ts";
import { isStatusComment } from "../domain/marker.ts";

/**
 * The provider-neutral thread (R-IN-9), in order of posting. Independent of the order of its input, so that an
 * incrementally refreshed thread equals a fully fetched one. Relay's status comment is no part of the discussion: its
 * number is 0 or less, so that the others are numbered as if it were not there (R-LIFE-9).
 */
export function toMessages(
  issue: Pick<TrackerIssue, "author" | "assignees">,
  comments: readonly TrackerComment[],
  bot: string,
): ThreadMessage[] {
  const people = { reporter: issue.author, assignees: issue.assignees, bot };
  const seqs = new Map<string, number>();
  const firstOfThread = new Map<string, number>();
  let last = 0;
  let apart = 1;
  return comments.toSorted(inOrder).map((comment) => {
    const role = roleOf(comment.author, people);
    const isStatus = role === "self" && isStatusComment(comment.body);
    const seq = isStatus ? (apart -= 1) : (last += 1);
    seqs.set(comment.id, seq);
    const opening = comment.threadId === null ? undefined : firstOfThread.get(comment.threadId);
    if (comment.threadId !== null && opening === undefined) firstOfThread.set(comment.threadId, seq);
    const answered = comment.replyToId === null ? undefined : seqs.get(comment.replyToId);
    const replyToSeq = answered ?? opening ?? null;
    return {
      seq,
      author: comment.author,
      role,
      isBot: comment.isBot || (role !== "self" && repeatsRelay(comment.body)),
      timestamp: comment.createdAt,
      editedAt: comment.editedAt,
      replyToSeq: replyToSeq !== null && replyToSeq > 0 ? replyToSeq : null,
      content: comment.body,
      externalId: comment.id,
      externalThreadId: comment.threadId,
      externalReplyId: comment.replyToId,
    };
  });
}

/** The comments of a stored thread. */
export function toComments(messages: readonly ThreadMessage[]): TrackerComment[] {
  return messages.map((message) => ({
    id: message.externalId,
    threadId: message.externalThreadId,
    replyToId: message.externalReplyId,
    author: message.author,
    isBot: message.isBot,
    body: message.content,
    createdAt: message.timestamp,
    editedAt: message.editedAt,
  }));
}

/** By time; within one second by id, which grows. */
function inOrder(a: TrackerComment, b: TrackerComment): number {
  return (
    a.createdAt.getTime() - b.createdAt.getTime() ||
    a.id.length - b.id.length ||
    (a.id < b.id ? -1 : Number(a.id > b.id))
  );
}
