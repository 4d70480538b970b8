import { z } from "zod";
import { camelRow } from "./camel-row.ts";
import type { Db } from "./db.ts";

/** A comment that Relay posted or tried to post. Ages are in milliseconds, by the database's clock. */
export interface StoredPost {
  /** Attempts without an answer that shows their outcome. */
  failures: number;
  /** Age of the last attempt, if its outcome is unknown. */
  triedAgo: number | null;
  /** Age of the first check since then that did not find it. */
  lookedAgo: number | null;
  /** Null until it is known to be in the thread. */
  commentId: string | null;
  /** By the tracker's clock. */
  postedAt: Date | null;
}

const postRow = camelRow({
  failures: z.number(),
  triedAgo: z.number().nullable(),
  lookedAgo: z.number().nullable(),
  commentId: z.string().nullable(),
  postedAt: z.date().nullable(),
});

/** The post with this key; null if it was never attempted. */
export async function findPost(db: Db, issueId: string, key: string): Promise<StoredPost | null> {
  return await db.maybeOne(
    postRow,
    `select failures, comment_id, posted_at,
       (extract(epoch from clock_timestamp() - tried_at) * 1000)::float8 as tried_ago,
       (extract(epoch from clock_timestamp() - looked_at) * 1000)::float8 as looked_ago
     from posts where issue_id = $1 and key = $2`,
    [issueId, key],
  );
}

/** Stores that a comment is about to be sent. */
export async function beginPost(db: Db, issueId: string, key: string): Promise<void> {
  await db.execute(
    `insert into posts (issue_id, key, tried_at) values ($1, $2, clock_timestamp())
     on conflict (issue_id, key) do update set tried_at = excluded.tried_at, looked_at = null`,
    [issueId, key],
  );
}

/** Keeps a model's text for a post until it is posted. */
export async function keepWords(db: Db, issueId: string, key: string, words: string): Promise<void> {
  await db.execute(
    `insert into posts (issue_id, key, words) values ($1, $2, $3) on conflict (issue_id, key) do update set words = excluded.words`,
    [issueId, key, words],
  );
}

export async function findWords(db: Db, issueId: string, key: string): Promise<string | null> {
  const sql = `select words from posts where issue_id = $1 and key = $2`;
  return (await db.maybeOne(z.object({ words: z.string().nullable() }), sql, [issueId, key]))?.words ?? null;
}

/** Stores that the last attempt had no effect, so it may be repeated at once. */
export async function undoPost(db: Db, issueId: string, key: string): Promise<void> {
  await db.execute(`update posts set tried_at = null where issue_id = $1 and key = $2`, [issueId, key]);
}

/** Counts an attempt whose outcome is unknown. */
export async function addPostFailure(db: Db, issueId: string, key: string): Promise<void> {
  await db.execute(`update posts set failures = failures + 1 where issue_id = $1 and key = $2`, [issueId, key]);
}

/** Stores that a check did not find the comment. */
export async function addPostLook(db: Db, issueId: string, key: string): Promise<void> {
  await db.execute(
    `update posts set looked_at = coalesce(looked_at, clock_timestamp()) where issue_id = $1 and key = $2`,
    [issueId, key],
  );
}

/** Stores that another comment with the same key is in the thread and replaces this one. */
export async function replacePost(tx: Db, issueId: string, from: string, to: string): Promise<void> {
  await tx.execute(`update posts set comment_id = $3, shown = null where issue_id = $1 and comment_id = $2`, [
    issueId,
    from,
    to,
  ]);
  await tx.execute(`update plans set comment_id = $3 where issue_id = $1 and comment_id = $2`, [issueId, from, to]);
}

/** A comment by Relay that is edited in place. */
export interface EditedPost {
  /** Null until it is known to be in the thread. */
  commentId: string | null;
  /** The text that it shows; null if unknown. */
  shown: string | null;
  /** Whether someone deleted it. */
  removed: boolean;
}

const editedRow = camelRow({ commentId: z.string().nullable(), shown: z.string().nullable(), removed: z.boolean() });

/** A comment that is edited in place; null if it was never attempted. */
export async function findEditedPost(db: Db, issueId: string, key: string): Promise<EditedPost | null> {
  const sql = `select comment_id, shown, removed_at is not null as removed from posts where issue_id = $1 and key = $2`;
  return await db.maybeOne(editedRow, sql, [issueId, key]);
}

/** Stores the text that the comment shows, and since when, by the tracker's clock. */
export async function setShown(
  tx: Db,
  issueId: string,
  key: string,
  { words, at }: { words: string; at: Date },
): Promise<void> {
  await tx.execute(`update posts set shown = $3, shown_at = $4 where issue_id = $1 and key = $2`, [
    issueId,
    key,
    words,
    at,
  ]);
}

/**
 * When a comment that is edited in place was last written, and whether the stored thread has it; null if there is none.
 */
export async function lastShown(db: Db, issueId: string, key: string): Promise<{ at: Date; isStored: boolean } | null> {
  return await db.maybeOne(
    camelRow({ at: z.date(), isStored: z.boolean() }),
    `select shown_at as at, exists (
       select from messages m where m.issue_id = posts.issue_id and m.external_id = posts.comment_id
     ) as is_stored
     from posts where issue_id = $1 and key = $2 and shown_at is not null`,
    [issueId, key],
  );
}

/** Stores that someone deleted the comment. */
export async function markRemoved(tx: Db, issueId: string, key: string, at: Date): Promise<void> {
  await tx.execute(`update posts set removed_at = $3 where issue_id = $1 and key = $2`, [issueId, key, at]);
}

/** Whether the comment is stored, under any key: the key of a plan's comment changes with each version. */
export async function isPosted(tx: Db, issueId: string, commentId: string): Promise<boolean> {
  const sql = `select 1 as one from posts where issue_id = $1 and comment_id = $2 limit 1`;
  return (await tx.maybeOne(z.object({ one: z.number() }), sql, [issueId, commentId])) !== null;
}

/** Stores that the comment is in the thread; true for the first caller. */
export async function settlePost(
  tx: Db,
  issueId: string,
  key: string,
  comment: { id: string; createdAt: Date },
): Promise<boolean> {
  const count = await tx.execute(
    `insert into posts (issue_id, key, comment_id, posted_at) values ($1, $2, $3, $4)
     on conflict (issue_id, key) do update
       set comment_id = excluded.comment_id, posted_at = excluded.posted_at, tried_at = null, looked_at = null,
         words = null
       where posts.comment_id is null`,
    [issueId, key, comment.id, comment.createdAt],
  );
  return count === 1;
}
