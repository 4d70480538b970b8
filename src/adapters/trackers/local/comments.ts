import { z } from "zod";
import type { IssueAddress } from "../../../domain/issue.ts";
import { RelayError } from "../../../lib/errors.ts";
import type { CommentPage, TrackerComment } from "../tracker.ts";
import { commentRow, keyOf, lockIssue, type Sql } from "./rows.ts";
import { checkComment, unfit } from "../texts.ts";

const PAGE = 100;
const LARGEST_ID = 2n ** 63n - 1n;

const SELECT = `
  select c.id, c.thread_id, c.author, m.is_bot, c.body, c.created_at, c.edited_at
  from local_comments c
  left join local_members m on m.project = c.project and lower(m.login) = lower(c.author)
  where c.project = $1 and c.number = $2`;

/** One page, oldest first. The cursor is the position of the last comment seen, so new ones shift nothing. */
export async function pageOfComments(db: Sql, address: IssueAddress, cursor: string | null): Promise<CommentPage> {
  const after = cursor === null ? { at: "-infinity", id: "0" } : placeOf(cursor);
  const found = await db.query(
    commentRow,
    `${SELECT} and (c.created_at, c.id) > ($3, $4) order by c.created_at, c.id limit ${PAGE + 1}`,
    [...keyOf(address), after.at, after.id],
  );
  const comments = found.slice(0, PAGE);
  const last = comments.at(-1);
  return { comments, next: last && found.length > PAGE ? cursorAfter(last) : null };
}

/** Comments created or edited since then, oldest first; null if there are more than `most`. */
export async function changedComments(
  db: Sql,
  address: IssueAddress,
  since: Date,
  most: number,
): Promise<TrackerComment[] | null> {
  const found = await db.query(
    commentRow,
    `${SELECT} and greatest(c.created_at, c.edited_at) >= $3 order by c.created_at, c.id limit $4`,
    [...keyOf(address), since, most + 1],
  );
  return found.length > most ? null : found;
}

export async function findComment(db: Sql, address: IssueAddress, id: string): Promise<TrackerComment> {
  const comment = isId(id) ? await db.maybeOne(commentRow, `${SELECT} and c.id = $3`, [...keyOf(address), id]) : null;
  if (comment) return comment;
  throw new RelayError("not_found", `there is no comment ${id} on issue ${address.externalIssueId}`, { status: 404 });
}

/** Adds a comment, which opens a thread of its own unless it replies in one. */
export async function insertComment(
  tx: Sql,
  address: IssueAddress,
  comment: { id: string; author: string; body: string; threadId: string | null; at: Date },
): Promise<void> {
  const { id, author, body, threadId, at } = comment;
  checkComment(body);
  if (threadId !== null) await requireThread(tx, address, threadId);
  await tx.execute(
    `insert into local_comments (id, project, number, thread_id, author, body, created_at)
     values ($3, $1, $2, $4, $5, $6, $7)`,
    [...keyOf(address), id, threadId ?? id, author, body, at],
  );
  await touch(tx, address, at);
}

export async function changeComment(
  tx: Sql,
  address: IssueAddress,
  change: { id: string; body: string; by: string; at: Date },
): Promise<void> {
  checkComment(change.body);
  await tx.execute(`update local_comments set body = $2, edited_at = $3, edited_by = $4 where id = $1`, [
    change.id,
    change.body,
    change.at,
    change.by,
  ]);
  await touch(tx, address, change.at);
}

/** Who edited a comment last; null for nobody. */
export async function editorOf(db: Sql, address: IssueAddress, id: string): Promise<{ by: string | null } | null> {
  const { editedAt } = await findComment(db, address, id);
  if (editedAt === null) return null;
  return await db.maybeOne(
    z.object({ edited_by: z.string().nullable() }).transform((row) => ({ by: row.edited_by })),
    `select edited_by from local_comments where id = $1`,
    [id],
  );
}

export async function removeComment(tx: Sql, address: IssueAddress, id: string, at: Date): Promise<void> {
  await tx.execute(`delete from local_comments where id = $1`, [id]);
  await touch(tx, address, at);
}

/** Adds a reaction to a comment, or to the issue if `commentId` is null. Idempotent. */
export async function react(
  tx: Sql,
  address: IssueAddress,
  reaction: { id: string; commentId: string | null; login: string; emoji: string; at: Date },
): Promise<void> {
  await lockIssue(tx, address);
  if (reaction.commentId !== null) await findComment(tx, address, reaction.commentId);
  await tx.execute(
    `insert into local_reactions (id, project, number, comment_id, login, emoji, created_at)
     values ($3, $1, $2, $4, $5, $6, $7) on conflict do nothing`,
    [...keyOf(address), reaction.id, reaction.commentId, reaction.login, reaction.emoji, reaction.at],
  );
}

/** Marks an issue as changed when its thread changes; an import with an earlier time does not set it back. */
async function touch(tx: Sql, address: IssueAddress, at: Date): Promise<void> {
  await tx.execute(`update local_issues set updated_at = greatest(updated_at, $3) where project = $1 and number = $2`, [
    ...keyOf(address),
    at,
  ]);
}

/** A thread exists as long as any of its comments does, the first one or a reply. */
async function requireThread(db: Sql, address: IssueAddress, threadId: string): Promise<void> {
  const found =
    isId(threadId) &&
    (await db.maybeOne(
      z.object({}),
      `select from local_comments where project = $1 and number = $2 and thread_id = $3 limit 1`,
      [...keyOf(address), threadId],
    ));
  if (found) return;
  throw new RelayError("not_found", `there is no thread ${threadId} on issue ${address.externalIssueId}`, {
    status: 404,
  });
}

/** Whether it is a valid comment id. */
export function isId(id: string): boolean {
  return /^\d{1,19}$/.test(id) && BigInt(id) <= LARGEST_ID;
}

function cursorAfter(comment: TrackerComment): string {
  return Buffer.from(`${comment.createdAt.toISOString()} ${comment.id}`).toString("base64url");
}

function placeOf(cursor: string): { at: Date; id: string } {
  const [time = "", id = ""] = Buffer.from(cursor, "base64url").toString().split(" ");
  const at = new Date(time);
  if (Number.isNaN(at.getTime()) || !isId(id)) throw unfit("the cursor is not one that a page of comments gave");
  return { at, id };
}
