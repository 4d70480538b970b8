import { z } from "zod";
import type { Db } from "./db.ts";

/** What all processes together know about a quota. Durations in milliseconds, by the database's clock. */
export interface StoredQuota {
  remaining: number | null;
  resetsInMs: number | null;
  blockedForMs: number | null;
}

/** What one process reports about a quota. */
export interface QuotaReport extends StoredQuota {
  /** Requests that the tracker allows per window. */
  limit: number | null;
  /** Requests that were made since the last report. */
  requests: number;
}

export interface QuotaBounds {
  /** Ends of windows that differ by at most this much belong to the same window. */
  sameWindowMs: number;
  /**
   * Times are never stored further ahead than this. A later one means that the database's clock was set back; it is
   * ignored.
   */
  furthestMs: number;
}

/** How writes are spaced, in milliseconds. */
export interface WriteSpacing {
  /** Between two writes, after a burst. */
  interval: number;
  /** How much earlier than its turn a write may come; if negative, how much later it has to come. */
  tolerance: number;
  /** The longest wait for a turn. */
  patience: number;
  /** Turns that were taken are never further ahead than this. */
  furthest: number;
}

export type WriteTurn = { kind: "taken"; waitMs: number } | { kind: "full"; waitMs: number };

/** Quotas of trackers, shared by all processes on one database (`tracker_quotas`). */
export interface QuotaStore {
  load(quota: string, bounds: QuotaBounds): Promise<StoredQuota | null>;
  /** Merges a process's knowledge into the stored state, and returns the result. */
  merge(quota: string, known: QuotaReport, bounds: QuotaBounds): Promise<StoredQuota | null>;
  /** Takes the next turn to write. If it is further off than `patience`, returns `full` and does not take it. */
  takeTurn(quota: string, spacing: WriteSpacing): Promise<WriteTurn>;
}

export function quotaStore(db: Pick<Db, "maybeOne">): QuotaStore {
  return {
    load: async (quota, bounds) =>
      await db.maybeOne(quotaRow, `select ${columns(bounds)} from tracker_quotas q where quota = $1`, [quota]),
    merge: async (quota, known, bounds) =>
      await db.maybeOne(quotaRow, mergeStatement(bounds), [
        quota,
        known.remaining,
        known.resetsInMs,
        known.blockedForMs,
        known.limit,
        known.requests,
      ]),
    takeTurn: async (quota, spacing) => await takeTurn(db, quota, spacing),
  };
}

const quotaRow = z
  .object({ remaining: z.number().nullable(), resets_in: z.number().nullable(), blocked_for: z.number().nullable() })
  .transform((row): StoredQuota => ({
    remaining: row.remaining,
    resetsInMs: row.resets_in,
    blockedForMs: row.blocked_for,
  }));

function columns({ furthestMs }: QuotaBounds): string {
  const furthest = `now() + interval '${furthestMs} ms'`;
  return `
    case when q.resets_at between now() and ${furthest} then q.remaining end as remaining,
    case when q.resets_at between now() and ${furthest} then ${millis("q.resets_at - now()")} end as resets_in,
    case when q.blocked_until between now() and ${furthest}
      then ${millis("q.blocked_until - now()")} end as blocked_for`;
}

/** The same rules by which a process merges what it learns: a newer window wins, and a block is never shortened. */
function mergeStatement(bounds: QuotaBounds): string {
  const same = `interval '${bounds.sameWindowMs} ms'`;
  const furthest = `now() + interval '${bounds.furthestMs} ms'`;
  const known = `q.remaining is not null and q.resets_at between now() and ${furthest}`;
  const newer = `not (${known}) or excluded.resets_at > q.resets_at + ${same}`;
  const older = `excluded.resets_at is null or excluded.resets_at < q.resets_at - ${same}`;
  return `
    insert into tracker_quotas as q (quota, remaining, resets_at, blocked_until, allowed, requests, updated_at)
    values ($1, $2, now() + $3 * interval '1 ms', now() + $4 * interval '1 ms', $5, $6, now())
    on conflict (quota) do update set
      remaining = case when excluded.resets_at is not null and (${newer}) then excluded.remaining
                       when ${older} then q.remaining
                       else least(q.remaining, excluded.remaining) end,
      resets_at = case when excluded.resets_at is not null and (${newer}) then excluded.resets_at else q.resets_at end,
      blocked_until = greatest(case when q.blocked_until <= ${furthest} then q.blocked_until end,
                               excluded.blocked_until),
      allowed = coalesce(excluded.allowed, q.allowed),
      requests = q.requests + excluded.requests,
      updated_at = now()
    returning ${columns(bounds)}`;
}

/** SQL: an interval in milliseconds. */
function millis(interval: string): string {
  return `(extract(epoch from ${interval}) * 1000)::float8`;
}

/** Moments in milliseconds since 1970, by the database's clock. */
const turnRow = z.object({ turn: z.number(), now: z.number() });
/**
 * Tolerates turns of statements that started later. A turn further ahead means that the database's clock was set back.
 */
const SLACK = 60_000;

/**
 * Takes the next turn for all processes in one statement, by the generic cell rate algorithm: `next_write_at` is the
 * theoretical arrival time of the next write. The statement uses a single moment, `now()`, so that a delay between
 * reading and writing cannot let more through.
 */
async function takeTurn(
  db: Pick<Db, "maybeOne">,
  quota: string,
  { interval, tolerance, patience, furthest }: WriteSpacing,
): Promise<WriteTurn> {
  const taken = await db.maybeOne(
    turnRow,
    `insert into tracker_quotas as q (quota, next_write_at, updated_at)
     values ($1, now() + $3::float8 * interval '1 ms', now())
     on conflict (quota) do update set
       next_write_at = case when q.next_write_at between now() and now() + $5::float8 * interval '1 ms'
                            then q.next_write_at else now() end + $3::float8 * interval '1 ms',
       updated_at = now()
     where q.next_write_at is null
        or q.next_write_at <= now() + $4::float8 * interval '1 ms'
        or q.next_write_at > now() + $5::float8 * interval '1 ms'
     returning ${MOMENTS}`,
    [quota, interval + Math.max(0, tolerance), interval, tolerance + patience, furthest + SLACK],
  );
  if (taken) return { kind: "taken", waitMs: Math.max(0, taken.turn - taken.now) };
  const next = await db.maybeOne(turnRow, `select ${MOMENTS} from tracker_quotas q where quota = $1`, [
    quota,
    tolerance,
  ]);
  return { kind: "full", waitMs: next === null ? 0 : Math.max(0, next.turn - next.now) };
}

/** `$2` is how long before the next theoretical arrival the turn starts. */
const MOMENTS = `(extract(epoch from q.next_write_at) * 1000)::float8 - $2::float8 as turn,
  (extract(epoch from now()) * 1000)::float8 as now`;

/** Stores that an issue's work waits for its tracker's limit, for this many milliseconds by the database's clock. */
export async function setLimitWait(db: Db, issueId: string, ms: number): Promise<void> {
  await db.execute(
    `insert into limit_waits (issue_id, until) values ($1, now() + $2 * interval '1 millisecond')
     on conflict (issue_id) do update set until = excluded.until`,
    [issueId, ms],
  );
}

/** Until when an issue's work waits for its tracker's limit; null if it does not. */
export async function findLimitWait(db: Db, issueId: string): Promise<Date | null> {
  const row = z.object({ until: z.date() });
  const found = await db.maybeOne(row, `select until from limit_waits where issue_id = $1 and until > now()`, [
    issueId,
  ]);
  return found?.until ?? null;
}

export async function endLimitWait(db: Db, issueId: string): Promise<void> {
  await db.execute(`delete from limit_waits where issue_id = $1`, [issueId]);
}
