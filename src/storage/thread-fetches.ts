import { z } from "zod";
import type { Db } from "./db.ts";

/** How a thread was last fetched, and what the tracker said of its issue then. */
export interface ThreadFetch {
  /** When the whole was last fetched, by Relay's clock; null where it changed meanwhile. */
  wholeAt: Date | null;
  /** Refreshes since then that asked only for what changed. */
  refreshes: number;
  /** Comments that the tracker counts and does not list; below 0 where it lists more than it counts. */
  unlisted: number;
  commentCount: number;
  issueState: "open" | "closed";
  /** By the tracker's clock. */
  issueUpdatedAt: Date;
}

export const threadFetchRow = z
  .object({
    whole_at: z.date().nullable(),
    refreshes: z.number(),
    unlisted: z.number(),
    comment_count: z.number(),
    issue_state: z.enum(["open", "closed"]),
    issue_updated_at: z.date(),
  })
  .transform((row): ThreadFetch => ({
    wholeAt: row.whole_at,
    refreshes: row.refreshes,
    unlisted: row.unlisted,
    commentCount: row.comment_count,
    issueState: row.issue_state,
    issueUpdatedAt: row.issue_updated_at,
  }));

/** Null for a thread that was stored by a version of Relay which did not keep it. */
export async function findThreadFetch(db: Db, issueId: string): Promise<ThreadFetch | null> {
  return await db.maybeOne(threadFetchRow, `select * from thread_fetches where issue_id = $1`, [issueId]);
}

export async function saveThreadFetch(db: Db, issueId: string, fetch: ThreadFetch): Promise<void> {
  await db.execute(
    `insert into thread_fetches (issue_id, whole_at, refreshes, unlisted, comment_count, issue_state, issue_updated_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (issue_id) do update set
       whole_at = excluded.whole_at, refreshes = excluded.refreshes, unlisted = excluded.unlisted,
       comment_count = excluded.comment_count, issue_state = excluded.issue_state,
       issue_updated_at = excluded.issue_updated_at`,
    [
      issueId,
      fetch.wholeAt,
      fetch.refreshes,
      fetch.unlisted,
      fetch.commentCount,
      fetch.issueState,
      fetch.issueUpdatedAt,
    ],
  );
}

/** Keeps that the issue was seen closed. */
export async function closeThreadFetch(db: Db, issueId: string): Promise<void> {
  await db.execute(`update thread_fetches set issue_state = 'closed' where issue_id = $1`, [issueId]);
}
