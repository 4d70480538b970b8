import type { ThreadMessage } from "../domain/conversation.ts";
import type { IssueAddress } from "../domain/issue.ts";
import { RelayError } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import type { Tracker, TrackerComment, TrackerIssue } from "../adapters/trackers/tracker.ts";
import { toMessages } from "./thread.ts";

/** A thread longer than this is refused (R-SAFE-5): 100 comments on each of 1,000 pages. */
const MAX_PAGES = 1_000;
/** Attempts at a thread that keeps changing. */
const LOOKS = 2;

export interface FetchedIssue {
  issue: TrackerIssue;
  messages: ThreadMessage[];
  /** Comments that the tracker counts but does not list; negative if it lists more than it counts. */
  hiddenComments: number;
  /** Whether these are the comments that Relay does not read, such as internal notes. */
  isExplained: boolean;
  /** Whether nothing changed between the first and the last request. */
  steady: boolean;
}

export interface FetchDeps {
  tracker: Pick<Tracker, "bot" | "getIssue" | "listComments" | "listChangedComments" | "getComment">;
  log: Log;
}

/**
 * Fetches the issue and its entire discussion, page by page (R-IN-5). If any page fails, the whole fetch fails with the
 * tracker's error, so that a partial thread is never stored (R-IN-6).
 *
 * Pages are separate requests: a comment deleted between two of them moves another to a page that was already read. So
 * the issue is read again after the pages, and the thread refetched if it changed. A list whose length differs from the
 * tracker's count is accepted if it came twice, or if `hiddenComments` or what was left out explains it. `known` is the issue as it was just
 * fetched.
 */
export async function fetchDiscussion(
  address: IssueAddress,
  { tracker, log }: FetchDeps,
  hiddenComments = 0,
  known?: TrackerIssue | null,
): Promise<FetchedIssue> {
  let issue = known ?? (await tracker.getIssue(address));
  let before: string | null = null;
  for (let look = 1; ; look += 1) {
    const { comments, leftOut, pages } = await listAll(address, tracker);
    log.info({ ...numbersOf(address, comments), pages }, "discussion fetched");
    const missing = issue.commentCount - comments.length;
    const isExplained = leftOut > 0 && missing === leftOut;
    const isExpected = missing === hiddenComments || isExplained;
    const fetched = { issue, messages: toMessages(issue, comments, tracker.bot), hiddenComments: missing, isExplained };
    if (pages === 1 && isExpected) return { ...fetched, steady: true };
    const after = await tracker.getIssue(address);
    const still = after.commentCount === issue.commentCount && after.updatedAt.getTime() === issue.updatedAt.getTime();
    const listed = comments.map((comment) => comment.id).join(" ");
    const steady = still && (isExpected || listed === before);
    if (steady || look === LOOKS) return { ...fetched, steady };
    before = still ? listed : null;
    issue = after;
  }
}

async function listAll(
  address: IssueAddress,
  tracker: FetchDeps["tracker"],
): Promise<{ comments: TrackerComment[]; leftOut: number; pages: number }> {
  const comments = new Map<string, TrackerComment>();
  let cursor: string | null = null;
  let leftOut = 0;
  let pages = 0;
  do {
    if (pages === MAX_PAGES) {
      throw new RelayError(
        "too_large",
        `the discussion has more than ${MAX_PAGES * 100} comments; Relay does not take it`,
      );
    }
    const page = await tracker.listComments(address, cursor);
    // A comment can appear twice if pages shifted.
    for (const comment of page.comments) comments.set(comment.id, comment);
    leftOut += page.leftOut ?? 0;
    cursor = page.next;
    pages += 1;
  } while (cursor !== null);
  return { comments: [...comments.values()], leftOut, pages };
}

/** The figures of a thread in the log of a fetch (R-IN-7). */
export function numbersOf(address: IssueAddress, comments: readonly TrackerComment[]) {
  return {
    project_id: address.externalProjectId,
    issue_iid: address.externalIssueId,
    threads: new Set(comments.map((comment) => comment.threadId ?? comment.id)).size,
    notes: comments.length,
  };
}
