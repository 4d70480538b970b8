import type { ConversationMessage } from "../domain/conversation.ts";
import { roleOf } from "../domain/conversation.ts";
import type { IssueAddress } from "../domain/issue.ts";
import { RelayError } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import type { Tracker, TrackerComment, TrackerIssue } from "../trackers/tracker.ts";

/** A thread longer than this is refused (R-SAFE-5): 100 comments on each of 1,000 pages. */
const MAX_PAGES = 1_000;

export interface FetchedIssue {
  issue: TrackerIssue;
  messages: ConversationMessage[];
}

/**
 * Fetches the issue and its entire discussion, page by page (R-IN-5). Strict: when any page fails the whole
 * fetch fails with the tracker's error, so that a partial thread can never be stored (R-IN-6).
 */
export async function fetchDiscussion(
  address: IssueAddress,
  { tracker, log }: { tracker: Tracker; log: Log },
): Promise<FetchedIssue> {
  const issue = await tracker.getIssue(address);
  const comments: TrackerComment[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    if (pages === MAX_PAGES) {
      throw new RelayError(
        "too_large",
        `the discussion has more than ${MAX_PAGES * 100} comments; Relay does not take it`,
      );
    }
    const page = await tracker.listComments(address, cursor);
    comments.push(...page.comments);
    cursor = page.next;
    pages += 1;
  } while (cursor !== null);
  log.info(
    {
      project_id: address.externalProjectId,
      issue_iid: address.externalIssueId,
      threads: new Set(comments.map((comment) => comment.threadId ?? comment.id)).size,
      notes: comments.length,
      pages,
    },
    "discussion fetched",
  );
  return { issue, messages: toMessages(issue, comments, tracker.bot) };
}

/** The provider-neutral thread (R-IN-9), in the order of posting. */
export function toMessages(issue: TrackerIssue, comments: TrackerComment[], bot: string): ConversationMessage[] {
  const people = { reporter: issue.author, assignees: issue.assignees, bot };
  const inOrder = comments.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  const seqs = new Map<string, number>();
  const firstOfThread = new Map<string, number>();
  return inOrder.map((comment, index) => {
    const seq = index + 1;
    seqs.set(comment.id, seq);
    const opening = comment.threadId === null ? undefined : firstOfThread.get(comment.threadId);
    if (comment.threadId !== null && opening === undefined) firstOfThread.set(comment.threadId, seq);
    const answered = comment.replyToId === null ? undefined : seqs.get(comment.replyToId);
    return {
      seq,
      author: comment.author,
      role: roleOf(comment.author, people),
      isBot: comment.isBot,
      timestamp: comment.createdAt,
      editedAt: comment.editedAt,
      replyToSeq: answered ?? opening ?? null,
      content: comment.body,
      externalId: comment.id,
      externalThreadId: comment.threadId,
    };
  });
}
