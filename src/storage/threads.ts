import { z } from "zod";
import type { Db } from "./db.ts";
import { type IssueState, ISSUE_STATES } from "../domain/lifecycle.ts";

/** How a thread was last fetched, and its issue's figures at that time. */
export interface ThreadFetch {
  /** Time of the last full fetch, by Relay's clock; null if the thread changed during it. */
  fullFetchAt: Date | null;
  /** Incremental refreshes since then. */
  refreshes: number;
  /** Comments that the tracker counts but does not list; negative if it lists more than it counts. */
  hiddenComments: number;
  commentCount: number;
  issueState: "open" | "closed";
  /** By the tracker's clock. */
  issueUpdatedAt: Date;
}

const threadFetchRow = z
  .object({
    full_fetch_at: z.date().nullable(),
    refreshes: z.number(),
    hidden_comments: z.number(),
    comment_count: z.number(),
    issue_state: z.enum(["open", "closed"]),
    issue_updated_at: z.date(),
  })
  .transform((row): ThreadFetch => ({
    fullFetchAt: row.full_fetch_at,
    refreshes: row.refreshes,
    hiddenComments: row.hidden_comments,
    commentCount: row.comment_count,
    issueState: row.issue_state,
    issueUpdatedAt: row.issue_updated_at,
  }));

/** How the thread was last fetched; null if that is not stored. */
export async function findThreadFetch(db: Db, issueId: string): Promise<ThreadFetch | null> {
  return await db.maybeOne(threadFetchRow, `select * from thread_fetches where issue_id = $1`, [issueId]);
}

export async function saveThreadFetch(db: Db, issueId: string, fetch: ThreadFetch): Promise<void> {
  await db.execute(
    `insert into thread_fetches (issue_id, full_fetch_at, refreshes, hidden_comments, comment_count, issue_state, issue_updated_at, looked_at)
     values ($1, $2, $3, $4, $5, $6, $7, now())
     on conflict (issue_id) do update set
       full_fetch_at = excluded.full_fetch_at, refreshes = excluded.refreshes, hidden_comments = excluded.hidden_comments,
       comment_count = excluded.comment_count, issue_state = excluded.issue_state,
       issue_updated_at = excluded.issue_updated_at, looked_at = excluded.looked_at`,
    [
      issueId,
      fetch.fullFetchAt,
      fetch.refreshes,
      fetch.hiddenComments,
      fetch.commentCount,
      fetch.issueState,
      fetch.issueUpdatedAt,
    ],
  );
}

/** Whether the issue was checked in the tracker within the last `ms` milliseconds. */
export async function isJustSeen(db: Db, issueId: string, ms: number): Promise<boolean> {
  const sql = `select from thread_fetches where issue_id = $1 and looked_at > now() - $2 * interval '1 ms'`;
  return (await db.maybeOne(z.object({}), sql, [issueId, ms])) !== null;
}

/** Stores that the tracker just showed the issue as Relay knows it. */
export async function markSeenNow(db: Db, issueId: string): Promise<void> {
  await db.execute(`update thread_fetches set looked_at = now() where issue_id = $1`, [issueId]);
}

/** Stores that the tracker showed the issue as closed, with its state as of that time of the tracker. */
export async function closeThreadFetch(db: Db, issueId: string, at: Date): Promise<void> {
  await db.execute(
    `update thread_fetches set issue_state = 'closed', issue_updated_at = greatest(issue_updated_at, $2)
     where issue_id = $1`,
    [issueId, at],
  );
}

/** Stores until when closings and unassignments are taken into account: later ones, and no others, end something. */
export async function hearEnds(db: Db, issueId: string, until: Date): Promise<void> {
  await db.execute(`update thread_fetches set ends_heard_until = greatest(ends_heard_until, $2) where issue_id = $1`, [
    issueId,
    until,
  ]);
}

/** Stores that the issue is closed; everything else known about it stays. */
export async function markClosed(db: Db, issueId: string): Promise<void> {
  await db.execute(`update thread_fetches set issue_state = 'closed' where issue_id = $1`, [issueId]);
}

/** An issue as Relay last saw it, with what the tracker's issue lists can be compared with. */
export interface LastSeen {
  state: IssueState;
  assignees: string[];
  /** Null for threads stored by a version of Relay that did not store this. */
  tracker: { state: "open" | "closed"; commentCount: number; updatedAt: Date } | null;
  /** Closings and unassignments until then, by the tracker's clock, are taken into account. */
  endsHeardUntil: Date | null;
}

const lastSeenRow = z
  .object({
    external_issue_id: z.string(),
    state: z.enum(ISSUE_STATES),
    assignees: z.array(z.string()),
    issue_state: z.enum(["open", "closed"]).nullable(),
    comment_count: z.number().nullable(),
    issue_updated_at: z.date().nullable(),
    ends_heard_until: z.date().nullable(),
  })
  .transform((row): [string, LastSeen] => {
    const { state, assignees, issue_state: open, comment_count: commentCount, issue_updated_at: updatedAt } = row;
    const known = open !== null && commentCount !== null && updatedAt !== null;
    const tracker = known ? { state: open, commentCount, updatedAt } : null;
    // Threads of an older version: what came before the last look is taken to be known.
    const endsHeardUntil = row.ends_heard_until ?? updatedAt;
    return [row.external_issue_id, { state, assignees, tracker, endsHeardUntil }];
  });

/** Those of these issues that are stored, by the tracker's number. */
export async function findLastSeen(
  db: Db,
  repositoryId: string,
  externalIssueIds: readonly string[],
): Promise<Map<string, LastSeen>> {
  const rows = await db.query(
    lastSeenRow,
    `select s.external_issue_id, s.state, s.assignees, f.issue_state, f.comment_count, f.issue_updated_at, f.ends_heard_until
     from issues s left join thread_fetches f on f.issue_id = s.id
     where s.repository_id = $1 and s.external_issue_id = any ($2)`,
    [repositoryId, externalIssueIds],
  );
  return new Map(rows);
}
