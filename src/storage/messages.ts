import { camelRow } from "./camel-row.ts";
import { z } from "zod";
import type { ThreadMessage } from "../domain/conversation.ts";
import { readsOf } from "../domain/spec.ts";
import type { Db } from "./db.ts";
import { readBySpec } from "./specs.ts";

const messageRow = camelRow({
  seq: z.number(),
  externalId: z.string(),
  externalThreadId: z.string().nullable(),
  externalReplyId: z.string().nullable(),
  author: z.string(),
  role: z.enum(["reporter", "assignee", "self", "other"]),
  isBot: z.boolean(),
  postedAt: z.date(),
  editedAt: z.date().nullable(),
  replyToSeq: z.number().nullable(),
  content: z.string(),
}).transform(({ postedAt, ...row }) => ({ ...row, timestamp: postedAt }));

/**
 * Makes the stored thread equal to a fetched one (R-IN-6), writing only the difference. Messages that a cycle has read
 * stay read unless they were edited. Returns the new and changed messages.
 */
export async function saveThread(db: Db, issueId: string, messages: ThreadMessage[]): Promise<ThreadMessage[]> {
  return await db.transaction(async (tx) => {
    const { removed, changed } = threadDifference(await listThread(tx, issueId), messages);
    if (removed.length > 0) {
      await tx.execute(`delete from messages where issue_id = $1 and external_id = any ($2)`, [issueId, removed]);
    }
    if (changed.length === 0) return changed;
    await tx.execute(
      `insert into messages (issue_id, seq, external_id, external_thread_id, external_reply_id, author, role, is_bot,
                             posted_at, edited_at, reply_to_seq, content)
       select $1, m.seq, m."externalId", m."externalThreadId", m."externalReplyId", m.author, m.role, m."isBot",
              m.timestamp, m."editedAt", m."replyToSeq", m.content
       from jsonb_to_recordset($2) as m (seq int, "externalId" text, "externalThreadId" text, "externalReplyId" text,
              author text, role text, "isBot" boolean, timestamp timestamptz, "editedAt" timestamptz,
              "replyToSeq" int, content text)
       on conflict (issue_id, external_id) do update set
         seq = excluded.seq, external_thread_id = excluded.external_thread_id,
         external_reply_id = excluded.external_reply_id, author = excluded.author,
         role = excluded.role, is_bot = excluded.is_bot, posted_at = excluded.posted_at,
         edited_at = excluded.edited_at, reply_to_seq = excluded.reply_to_seq,
         seen = messages.seen and messages.content = excluded.content, content = excluded.content`,
      [issueId, JSON.stringify(changed)],
    );
    return changed;
  });
}

/** The newest messages of the discussion, before `before`, in chronological order; all without a limit. */
export async function listMessages(
  db: Db,
  issueId: string,
  limit?: number,
  before: number | null = null,
): Promise<ThreadMessage[]> {
  const newest = await db.query(
    messageRow,
    `select * from messages where issue_id = $1 and seq > 0 and ($3::int is null or seq < $3) order by seq desc limit $2`,
    [issueId, limit ?? null, before],
  );
  return newest.toReversed();
}

/** The messages with these numbers, in chronological order. */
export async function listMessagesNumbered(
  db: Db,
  issueId: string,
  numbers: readonly number[],
): Promise<ThreadMessage[]> {
  return await db.query(messageRow, `select * from messages where issue_id = $1 and seq = any ($2) order by seq`, [
    issueId,
    numbers,
  ]);
}

/** The numbers of the messages with these ids of the tracker. */
export async function numbersOfMessages(db: Db, issueId: string, externalIds: readonly string[]): Promise<number[]> {
  const sql = `select seq from messages where issue_id = $1 and external_id = any ($2) order by seq`;
  return (await db.query(z.object({ seq: z.number() }), sql, [issueId, externalIds])).map(({ seq }) => seq);
}

/** The whole thread as the tracker has it: the discussion, and Relay's status comment (R-LIFE-9). */
export async function listThread(db: Db, issueId: string): Promise<ThreadMessage[]> {
  return await db.query(messageRow, `select * from messages where issue_id = $1 order by posted_at, seq`, [issueId]);
}

export async function countMessages(db: Db, issueId: string): Promise<number> {
  const row = await db.one(
    z.object({ count: z.number() }),
    `select count(*)::int as count from messages where issue_id = $1 and seq > 0`,
    [issueId],
  );
  return row.count;
}

/** Seqs of messages by others that no cycle has read in their current form. */
export async function listUnreadSeqs(db: Db, issueId: string): Promise<number[]> {
  const rows = await db.query(
    z.object({ seq: z.number() }),
    `select seq from messages where issue_id = $1 and not seen and role <> 'self' order by seq`,
    [issueId],
  );
  return rows.map((row) => row.seq);
}

/**
 * Seqs of messages by others that the newest version of the spec has not read in their current form (R-SPEC-16). For
 * versions from before this was recorded: messages that no cycle up to theirs had read.
 */
export async function listUnwritten(db: Db, issueId: string): Promise<number[]> {
  const read = await readBySpec(db, issueId);
  if (read !== null) {
    const messages = (await listMessages(db, issueId)).filter(({ role }) => role !== "self");
    const now = readsOf({ title: "", body: "" }, messages).messages;
    return messages.flatMap(({ externalId, seq }) => (now[externalId] === read.messages[externalId] ? [] : [seq]));
  }
  const rows = await db.query(
    z.object({ seq: z.number() }),
    `select m.seq from messages m left join cycles c on c.id = m.read_in_cycle
     where m.issue_id = $1 and m.role <> 'self' and (not m.seen or c.number > coalesce((
       select max(w.number) from cycles w join actions a on a.cycle_id = w.id
       where w.issue_id = $1 and a.status = 'done' and a.action ->> 'type' in ('ready_for_spec_generation', 'update_spec')
     ), 0)) order by m.seq`,
    [issueId],
  );
  return rows.map((row) => row.seq);
}

/** People's unread messages, in the order of the thread. */
export async function listUnreadByPeople(db: Db, issueId: string): Promise<ThreadMessage[]> {
  const unread = new Set(await listUnreadSeqs(db, issueId));
  return (await listMessages(db, issueId)).filter(({ seq, isBot }) => unread.has(seq) && !isBot);
}

export async function markRead(db: Db, issueId: string, seqs: number[], cycleId: string): Promise<void> {
  await db.execute(`update messages set seen = true, read_in_cycle = $3 where issue_id = $1 and seq = any ($2)`, [
    issueId,
    seqs,
    cycleId,
  ]);
}

/** Seqs of the messages that this cycle read last. */
export async function listReadIn(db: Db, cycleId: string): Promise<number[]> {
  const rows = await db.query(
    z.object({ seq: z.number() }),
    `select seq from messages where read_in_cycle = $1 and seen order by seq`,
    [cycleId],
  );
  return rows.map((row) => row.seq);
}

/** Marks what a failed cycle read as unread, for the next one. */
export async function markUnread(db: Db, cycleId: string): Promise<void> {
  await db.execute(`update messages set seen = false where read_in_cycle = $1`, [cycleId]);
}

/**
 * Marks all messages so far as read, since they need no cycle any more, except those with the external ids in `kept`.
 */
export async function markAllRead(tx: Db, issueId: string, kept: readonly string[] = []): Promise<void> {
  await tx.execute(`update messages set seen = true where issue_id = $1 and not seen and external_id <> all ($2)`, [
    issueId,
    kept,
  ]);
}

interface ThreadDifference {
  /** External ids of deleted messages. */
  removed: string[];
  /** New and changed messages; a changed position counts. */
  changed: ThreadMessage[];
}

/** Proportional to the change: one more comment at the end is one changed message, however long the thread is. */
function threadDifference(from: readonly ThreadMessage[], to: readonly ThreadMessage[]): ThreadDifference {
  const before = new Map(from.map((message) => [message.externalId, message]));
  const after = new Set(to.map((message) => message.externalId));
  return {
    removed: from.filter((message) => !after.has(message.externalId)).map((message) => message.externalId),
    changed: to.filter((message) => !equal(before.get(message.externalId), message)),
  };
}

function equal(a: ThreadMessage | undefined, b: ThreadMessage): boolean {
  return (
    a !== undefined &&
    a.seq === b.seq &&
    a.author === b.author &&
    a.role === b.role &&
    a.isBot === b.isBot &&
    a.timestamp.getTime() === b.timestamp.getTime() &&
    a.editedAt?.getTime() === b.editedAt?.getTime() &&
    a.replyToSeq === b.replyToSeq &&
    a.content === b.content &&
    a.externalThreadId === b.externalThreadId &&
    a.externalReplyId === b.externalReplyId
  );
}
