import { z } from "zod";
import { LONGEST_BLOCK, LONGEST_WINDOW } from "./limits.ts";
import type { QuotaNews } from "./quota.ts";
import { SAME_WINDOW_MS } from "./standing.ts";

/** What the limits need of a database. */
export interface Sql {
  maybeOne<T>(row: z.ZodType<T>, sql: string, parameters: unknown[]): Promise<T | null>;
}

/** How writes are spaced, in milliseconds. */
export interface Spacing {
  /** From one write to the next, once a burst is over. */
  interval: number;
  /** How much earlier than its turn a write may come. */
  tolerance: number;
  /** The longest wait for a turn. */
  patience: number;
}

export type Turn = { kind: "taken"; waitMs: number } | { kind: "full"; waitMs: number };

const rowSchema = z
  .object({ remaining: z.number().nullable(), resets_in: z.number().nullable(), blocked_for: z.number().nullable() })
  .transform((row): QuotaNews => ({
    limit: null,
    remaining: row.remaining,
    resetsInMs: row.resets_in,
    blockedForMs: row.blocked_for,
  }));

/** No moment that was written lies so far ahead: the database's clock was set back, and it is dropped. */
const STRAY = `interval '${Math.max(LONGEST_BLOCK, LONGEST_WINDOW) + 60_000} ms'`;
const COLUMNS = `
  case when q.resets_at between now() and now() + ${STRAY} then q.remaining end as remaining,
  case when q.resets_at between now() and now() + ${STRAY} then ${millis("q.resets_at - now()")} end as resets_in,
  case when q.blocked_until between now() and now() + ${STRAY}
    then ${millis("q.blocked_until - now()")} end as blocked_for`;

/** What all processes together know. Only the database's clock counts. */
export async function loadStanding(db: Sql, quota: string): Promise<QuotaNews | null> {
  return await db.maybeOne(rowSchema, `select ${COLUMNS} from tracker_quotas q where quota = $1`, [quota]);
}

/** Joins what one process knows to what is stored, by the rules of `withNews`, and gives what comes of it. */
export async function joinStanding(db: Sql, quota: string, news: QuotaNews): Promise<QuotaNews | null> {
  const known = `q.remaining is not null and q.resets_at between now() and now() + ${STRAY}`;
  const newer = `not (${known}) or excluded.resets_at > q.resets_at + interval '${SAME_WINDOW_MS} ms'`;
  const older = `excluded.resets_at is null or excluded.resets_at < q.resets_at - interval '${SAME_WINDOW_MS} ms'`;
  return await db.maybeOne(
    rowSchema,
    `insert into tracker_quotas as q (quota, remaining, resets_at, blocked_until, updated_at)
     values ($1, $2, now() + $3 * interval '1 ms', now() + $4 * interval '1 ms', now())
     on conflict (quota) do update set
       remaining = case when excluded.resets_at is not null and (${newer}) then excluded.remaining
                        when ${older} then q.remaining
                        else least(q.remaining, excluded.remaining) end,
       resets_at = case when excluded.resets_at is not null and (${newer}) then excluded.resets_at else q.resets_at end,
       blocked_until = greatest(case when q.blocked_until <= now() + ${STRAY} then q.blocked_until end,
                                excluded.blocked_until),
       updated_at = now()
     returning ${COLUMNS}`,
    [quota, news.remaining, news.resetsInMs, news.blockedForMs],
  );
}

/** Moments in milliseconds since 1970, by the database's clock. */
const turnSchema = z.object({ turn: z.number(), now: z.number() });

/**
 * Takes the next turn to write, for all processes in one statement: the generic cell rate algorithm, whose theoretical
 * arrival of the next write is `next_write_at`. All of it goes by one moment, `now()`: no delay between looking and
 * setting can let more through. A turn further off than `patience` is told and not taken.
 */
export async function takeTurn(db: Sql, quota: string, { interval, tolerance, patience }: Spacing): Promise<Turn> {
  const moments = `${millis("q.next_write_at")} - $2::float8 as turn, ${millis("now()")} as now`;
  const taken = await db.maybeOne(
    turnSchema,
    `insert into tracker_quotas as q (quota, next_write_at, updated_at)
     values ($1, now() + $3::float8 * interval '1 ms', now())
     on conflict (quota) do update set
       next_write_at = case when q.next_write_at between now() and now() + $5::float8 * interval '1 ms'
                            then q.next_write_at else now() end + $3::float8 * interval '1 ms',
       updated_at = now()
     where q.next_write_at is null
        or q.next_write_at <= now() + $4::float8 * interval '1 ms'
        or q.next_write_at > now() + $5::float8 * interval '1 ms'
     returning ${moments}`,
    // A moment beyond the last of these cannot have been written but by a clock that was set back.
    [quota, interval + tolerance, interval, tolerance + patience, tolerance + patience + interval],
  );
  if (taken) return { kind: "taken", waitMs: Math.max(0, taken.turn - taken.now) };
  const next = await db.maybeOne(turnSchema, `select ${moments} from tracker_quotas q where quota = $1`, [
    quota,
    tolerance,
  ]);
  return { kind: "full", waitMs: next === null ? 0 : Math.max(0, next.turn - next.now) };
}

function millis(time: string): string {
  return `(extract(epoch from ${time}) * 1000)::float8`;
}
