import { z } from "zod";
import { type Notice, noticeSchema } from "../domain/notice.ts";
import type { Ids } from "../lib/ids.ts";
import { camelRow } from "./camel-row.ts";
import type { Db } from "./db.ts";

/** Hours of attempts after which a notice is given up. */
const PATIENCE = "24 hours";

/** After this many refusals by the receiver, a notice comes after the others of its target. */
const REFUSALS = 5;

/** Stores a notice for a target; false if the target already has one with this key. */
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

export interface WaitingNotice {
  /** The id of its row. */
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
 * The next notice of a target, oldest first; those that the receiver refuses again and again come after the others.
 * Null if there is none.
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

/** The outcome of an attempt; `status` is null without an answer. */
export interface Tried {
  status: number | null;
  /** In Relay's words; null if the receiver accepted it. */
  error: string | null;
}

/** Ends a notice: sent, given up for good, or no longer allowed. */
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
 * Schedules the next attempt in this many milliseconds; after a day of attempts, gives the notice up and returns true.
 * `refused`: the receiver is reachable, but refuses this notice.
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

/** The targets with waiting notices, whether they are still configured or not. */
export async function listNotifying(db: Db): Promise<string[]> {
  const rows = await db.query(
    z.object({ target: z.string() }),
    `select distinct target from notices where ended_at is null order by target`,
    [],
  );
  return rows.map(({ target }) => target);
}

/** Gives up notices that have waited for a day for targets that are no longer configured; returns how many. */
export async function giveUpOthers(db: Db, targets: readonly string[]): Promise<number> {
  return await db.execute(
    `update notices set outcome = 'given_up', ended_at = clock_timestamp(), error = 'the target is not configured any more'
     where ended_at is null and target <> all ($1::text[]) and created_at < clock_timestamp() - $2::interval`,
    [targets, PATIENCE],
  );
}

/** Counts of a target's notices. */
export interface NoticeFigures {
  target: string;
  waiting: number;
  /** When the oldest waiting notice was created; null without one. */
  waitingSince: Date | null;
  /** The newest error of a waiting notice; null if none failed. */
  error: string | null;
  /** How many were given up within a week. */
  givenUp: number;
}

const figuresRow = camelRow({
  target: z.string(),
  waiting: z.number(),
  waitingSince: z.date().nullable(),
  error: z.string().nullable(),
  givenUp: z.number(),
});

/** The targets with notices that wait or were given up within a week. Uses indexes, so sent notices cost nothing. */
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
