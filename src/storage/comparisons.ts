import { z } from "zod";
import type { IssueAddress } from "../domain/issue.ts";
import type { IssueState } from "../domain/lifecycle.ts";
import { ISSUE_STATES } from "../domain/lifecycle.ts";
import type { Db } from "./db.ts";

/** An issue as Relay last saw it, as far as a list of the tracker's can be compared with it. */
export interface LastSeen {
  state: IssueState;
  assignees: string[];
  /** Null where the thread was stored by a version of Relay that did not keep how the issue was. */
  tracker: { state: "open" | "closed"; commentCount: number; updatedAt: Date } | null;
}

const lastSeenRow = z
  .object({
    external_issue_id: z.string(),
    state: z.enum(ISSUE_STATES),
    assignees: z.array(z.string()),
    issue_state: z.enum(["open", "closed"]).nullable(),
    comment_count: z.number().nullable(),
    issue_updated_at: z.date().nullable(),
  })
  .transform((row): [string, LastSeen] => {
    const { state, assignees, issue_state: open, comment_count: commentCount, issue_updated_at: updatedAt } = row;
    const known = open !== null && commentCount !== null && updatedAt !== null;
    return [
      row.external_issue_id,
      { state, assignees, tracker: known ? { state: open, commentCount, updatedAt } : null },
    ];
  });

/** What is stored of these issues, by the tracker's number; those that Relay is not engaged in are missing. */
export async function findLastSeen(
  db: Db,
  repositoryId: string,
  externalIssueIds: readonly string[],
): Promise<Map<string, LastSeen>> {
  const rows = await db.query(
    lastSeenRow,
    `select s.external_issue_id, s.state, s.assignees, f.issue_state, f.comment_count, f.issue_updated_at
     from issues s left join thread_fetches f on f.issue_id = s.id
     where s.repository_id = $1 and s.external_issue_id = any ($2)`,
    [repositoryId, externalIssueIds],
  );
  return new Map(rows);
}

/** When what the last delivery of an issue told had happened, by the tracker's clock; null without any. */
export async function lastHeardOf(db: Db, issue: IssueAddress): Promise<Date | null> {
  const row = await db.one(
    z.object({ at: z.date().nullable() }),
    `select max((event ->> 'at')::timestamptz) as at from deliveries
     where provider = $1 and event ->> 'externalProjectId' = $2 and event ->> 'externalIssueId' = $3`,
    [issue.provider, issue.externalProjectId, issue.externalIssueId],
  );
  return row.at;
}

/** Issues that changed before this were compared (R-IN-8); for a new repository, since when Relay knows it. */
export async function findSeenUntil(db: Db, repositoryId: string): Promise<Date> {
  const row = await db.one(
    z.object({ at: z.date() }),
    `select coalesce(seen_until, created_at) as at from repositories where id = $1`,
    [repositoryId],
  );
  return row.at;
}

/** Moves it on; never back, whichever of two processes comes last. */
export async function setSeenUntil(db: Db, repositoryId: string, at: Date): Promise<void> {
  await db.execute(`update repositories set seen_until = greatest(seen_until, $2) where id = $1`, [repositoryId, at]);
}
