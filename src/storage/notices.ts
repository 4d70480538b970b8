import { z } from "zod";
import { type Notice, noticeSchema } from "../domain/notice.ts";
import type { Ids } from "../lib/ids.ts";
import { camelRow } from "./camel-row.ts";
import type { Db } from "./db.ts";

/** Hours of tries after which a notice is given up. */
const PATIENCE = "24 hours";

/** A notice that the receiver refused so often lets the others of its target go first. */
const REFUSALS = 5;

/** Stores a notice for a target; false if it was told the same before. */
export async function addNotice(
  tx: Db,
  notice: { target: string; issueId: string | null; key: string; body: Omit<Notice, "id"> },
  ids: Ids,
): Promise<boolean> {
  const id = ids.next();
  const { type, ...rest } = notice.body;
  const body: Notice = { type, id: `msg_${id}`, ...rest };
  const added = await tx.execute(
    `insert into notices (id, target, issue_id, key, body) values ($1, $2, $3, $4, $5) on conflict (target, key) do nothing`,
    [id, notice.target, notice.issueId, notice.key, JSON.stringify(body)],
  );
  return added === 1;
}

/** A notice that waits to be sent. */
export interface WaitingNotice {
  /** Of its row. */
  id: string;
  body: Notice;
  tries: number;
  dueAt: Date;
  /** By the database's clock. */
  isDue: boolean;
  /** Whether its issue is confidential now. */
  confidential: boolean;
}

const waitingRow = camelRow({
  id: z.string(),
  body: noticeSchema,
  tries: z.number(),
  dueAt: z.date(),
  isDue: z.boolean(),
  confidential: z.boolean(),
});

/**
 * The next notice of a target, in the order in which they were made; those that the receiver itself refuses again and
 * again come behind the others. Null without any.
 */
export async function nextNotice(db: Db, target: string): Promise<WaitingNotice | null> {
  return await db.maybeOne(
    waitingRow,
    `select n.id, n.body, n.tries, n.due_at, n.due_at <= clock_timestamp() as is_due,
       coalesce(s.confidential, false) as confidential
     from notices n left join issues s on s.id = n.issue_id
     where n.target = $1 and n.ended_at is null
     order by n.refusals >= $2, case when n.refusals >= $2 then n.due_at end, n.id limit 1`,
    [target, REFUSALS],
  );
}

/** What became of a try; `status` is null without an answer. */
export interface Tried {
  status: number | null;
  /** In Relay's words; null if it was taken. */
  error: string | null;
}

/** Marks a notice as sent, given up for good, or no longer allowed. */
export async function endNotice(
  db: Db,
  id: string,
  outcome: "sent" | "given_up" | "withheld",
  { status, error }: Tried,
): Promise<void> {
  await db.execute(
    `update notices set outcome = $2, ended_at = clock_timestamp(), tries = tries + 1, status = $3, error = $4
     where id = $1 and ended_at is null`,
    [id, outcome, status, error],
  );
}

/**
 * Schedules the next try of a notice in this many milliseconds; after a day of tries gives it up, and returns true.
 * `refused`: the receiver is there, and does not take this one.
 */
export async function postponeNotice(
  db: Db,
  id: string,
  waitMs: number,
  { status, error, refused }: Tried & { refused: boolean },
): Promise<boolean> {
  const row = await db.maybeOne(
    z.object({ given_up: z.boolean() }),
    `update notices set tries = tries + 1, refusals = refusals + $3, status = $4, error = $5,
       due_at = least(clock_timestamp() + $2 * interval '1 millisecond', greatest(clock_timestamp(), created_at + $6::interval)),
       outcome = case when created_at < clock_timestamp() - $6::interval then 'given_up' end,
       ended_at = case when created_at < clock_timestamp() - $6::interval then clock_timestamp() end
     where id = $1 and ended_at is null returning outcome is not null as given_up`,
    [id, waitMs, refused ? 1 : 0, status, error, PATIENCE],
  );
  return row?.given_up ?? false;
}

/** The targets that something waits for, whether they are configured or not. */
export async function listNotifying(db: Db): Promise<string[]> {
  const rows = await db.query(
    z.object({ target: z.string() }),
    `select distinct target from notices where ended_at is null order by target`,
    [],
  );
  return rows.map(({ target }) => target);
}

/** Gives up what has waited for a day for targets that are not configured any more; returns how many. */
export async function giveUpOthers(db: Db, targets: readonly string[]): Promise<number> {
  return await db.execute(
    `update notices set outcome = 'given_up', ended_at = clock_timestamp(), error = 'the target is not configured any more'
     where ended_at is null and target <> all ($1::text[]) and created_at < clock_timestamp() - $2::interval`,
    [targets, PATIENCE],
  );
}

/** How it stands with what a target is told. */
export interface NoticeFigures {
  target: string;
  waiting: number;
  /** Of the oldest that waits; null without one. */
  waitingSince: Date | null;
  /** Of the last try of those that wait; null where none failed. */
  error: string | null;
  /** Given up within a week. */
  givenUp: number;
}

const figuresRow = camelRow({
  target: z.string(),
  waiting: z.number(),
  waitingSince: z.date().nullable(),
  error: z.string().nullable(),
  givenUp: z.number(),
});

/** The targets for which something waits or was given up within a week. By indexes: what was sent costs nothing. */
export async function noticeFigures(db: Db): Promise<NoticeFigures[]> {
  return await db.query(
    figuresRow,
    `select target, count(*) filter (where ended_at is null)::int as waiting,
       min(created_at) filter (where ended_at is null) as waiting_since,
       (array_agg(error order by due_at desc) filter (where ended_at is null and error is not null))[1] as error,
       count(*) filter (where ended_at is not null)::int as given_up
     from (select * from notices where ended_at is null
           union all
           select * from notices where outcome = 'given_up' and ended_at > clock_timestamp() - interval '7 days') those
     group by target order by target`,
    [],
  );
}
