import { z } from "zod";
import { camelRow } from "./camel-row.ts";
import type { Db } from "./db.ts";

/*
 * Relay's own comments in the thread that the database does not know, because it was restored from a backup, or the
 * issue was forgotten.
 */

const lostRow = camelRow({
  seq: z.number(),
  id: z.string(),
  threadId: z.string().nullable(),
  body: z.string(),
  /** When it was last edited, by the tracker's clock. */
  createdAt: z.date(),
});

/** A comment by Relay that the database does not know, with its number in the thread. */
export type LostComment = z.infer<typeof lostRow>;

const COLUMNS = `m.seq, m.external_id as id, m.external_thread_id as thread_id, m.content as body,
  coalesce(m.edited_at, m.posted_at) as created_at`;
const KEY = String.raw`substring(m.content from '<!-- relay:([\w.:-]+) -->\s*$')`;
const LOST = `m.issue_id = $1 and m.role = 'self' and ${KEY} like 'action:%' and not exists (
  select from posts p where p.issue_id = m.issue_id and (p.comment_id = m.external_id or p.key = ${KEY}))`;
/** Nobody else wrote between that number and the comment. */
const AT_ONCE = `not exists (
  select from messages o where o.issue_id = m.issue_id and o.role <> 'self' and o.seq >= $2 and o.seq < m.seq)`;

/**
 * The oldest unknown comment of a cycle; with `from`, only if nobody else wrote between that number and the comment.
 */
export async function findLostComment(
  db: Db,
  issueId: string,
  from: number | null = null,
): Promise<LostComment | null> {
  const within = from === null ? "$2::int is null" : AT_ONCE;
  const sql = `select ${COLUMNS} from messages m where ${LOST} and ${within} order by m.seq limit 1`;
  return await db.maybeOne(lostRow, sql, [issueId, from]);
}

/** Stores such comments as posted. */
export async function settleLostComments(db: Db, issueId: string, from: number): Promise<void> {
  await db.execute(
    `insert into posts (issue_id, key, comment_id, posted_at)
     select m.issue_id, ${KEY}, m.external_id, m.posted_at from messages m where ${LOST} and ${AT_ONCE}
     on conflict do nothing`,
    [issueId, from],
  );
}

/** The newest comment with a plan that the database does not know. */
export async function findLostPlan(db: Db, issueId: string): Promise<LostComment | null> {
  return await db.maybeOne(
    lostRow,
    `select ${COLUMNS} from messages m where m.issue_id = $1 and m.role = 'self' and ${KEY} ~ '^plan:\\d+$'
       and not exists (select from plans p where p.issue_id = m.issue_id and 'plan:' || p.id = ${KEY})
     order by m.posted_at desc limit 1`,
    [issueId],
  );
}
