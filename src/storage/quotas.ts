import { z } from "zod";
import type { Db } from "./db.ts";

/** What all processes together know of a quota. Durations in milliseconds, by the database's clock. */
export interface StoredQuota {
  remaining: number | null;
  resetsInMs: number | null;
  blockedForMs: number | null;
}

/** What one process tells of a quota. */
export interface QuotaReport extends StoredQuota {
  /** Requests that the tracker allows in a window. */
  limit: number | null;
  /** Requests that were admitted since the last report. */
  requests: number;
}

export interface QuotaBounds {
  /** Ends of windows that are no further apart belong to one window. */
  sameWindowMs: number;
  /** No moment is stored further ahead; one that is means that the database's clock was set back, and is dropped. */
  furthestMs: number;
}

/** How writes are spaced, in milliseconds. */
export interface WriteSpacing {
  /** From one write to the next, once a burst is over. */
  interval: number;
  /** How much earlier than its turn a write may come; below 0, how much later at the earliest. */
  tolerance: number;
  /** The longest wait for a turn. */
  patience: number;
  /** No turn that was taken lies further ahead. */
  furthest: number;
}

export type WriteTurn = { kind: "taken"; waitMs: number } | { kind: "full"; waitMs: number };

/** Quotas of trackers, shared by all processes on one database (`tracker_quotas`). */
export interface QuotaStore {
  load(quota: string, bounds: QuotaBounds): Promise<StoredQuota | null>;
  /** Merges a process's knowledge into the stored state, and returns the result. */
  merge(quota: string, known: QuotaReport, bounds: QuotaBounds): Promise<StoredQuota | null>;
  /** Takes the next turn to write; a turn further off than `patience` is returned as `full` and not taken. */
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

/** By the same rules as a process merges what it learns: a newer window wins, and a block is never shortened. */
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

/** A length of time in the database, in milliseconds. */
function millis(interval: string): string {
  return `(extract(epoch from ${interval}) * 1000)::float8`;
}

/** Moments in milliseconds since 1970, by the database's clock. */
const turnRow = z.object({ turn: z.number(), now: z.number() });
/** Beyond all that can have been written, also by a statement that began later: the database's clock was set back. */
const SLACK = 60_000;

/**
 * Takes the next turn for all processes in one statement: the generic cell rate algorithm, whose theoretical arrival
 * time of the next write is `next_write_at`. All of it goes by one moment, `now()`, so that no delay between reading
 * and writing can let more through.
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

/** `$2` is how long before the next theoretical arrival the turn is. */
const MOMENTS = `(extract(epoch from q.next_write_at) * 1000)::float8 - $2::float8 as turn,
  (extract(epoch from now()) * 1000)::float8 as now`;

/** Stores that the work of an issue waits for its tracker's limit, for this many milliseconds by the database's clock. */
export async function setLimitWait(db: Db, issueId: string, ms: number): Promise<void> {
  await db.execute(
    `insert into limit_waits (issue_id, until) values ($1, now() + $2 * interval '1 millisecond')
     on conflict (issue_id) do update set until = excluded.until`,
    [issueId, ms],
  );
}

/** Until when the work of an issue waits for its tracker's limit; null if it does not. */
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
