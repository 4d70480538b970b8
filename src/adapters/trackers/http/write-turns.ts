import { z } from "zod";
import type { Sql } from "./quota-rows.ts";

/** How writes are spaced, in milliseconds. */
export interface Spacing {
  /** From one write to the next, once a burst is over. */
  interval: number;
  /** How much earlier than its turn a write may come. */
  tolerance: number;
  /** The longest wait for a turn. */
  patience: number;
}

const MINUTE = 60_000;

/** For the minutes. */
export function spacingOf({ perMinute, burst }: { perMinute: number; burst: number }, patience: number): Spacing {
  return spacingIn(MINUTE, perMinute, burst, patience);
}

/** For the hours: half of one may go out as fast as the minutes let it, so that a busy quarter of an hour is none too slow. */
export function hourlySpacing(perHour: number, patience: number): Spacing {
  return spacingIn(60 * MINUTE, perHour, Math.ceil(perHour / 2), patience);
}

/** A burst uses up its part of the window, so that no window has more than is allowed. */
function spacingIn(windowMs: number, most: number, burst: number, patience: number): Spacing {
  const atOnce = Math.max(1, Math.min(burst, most - 1));
  const interval = windowMs / Math.max(1, most - atOnce);
  return { interval, tolerance: (atOnce - 1) * interval, patience };
}

export type Turn = { kind: "taken"; waitMs: number } | { kind: "full"; waitMs: number };

/** Moments in milliseconds since 1970, by the database's clock. */
const turnSchema = z.object({ turn: z.number(), now: z.number() });
/** Beyond all that can have been written, also by a statement that began later: the database's clock was set back. */
const SLACK = 60_000;

/**
 * Takes the next turn to write, for all processes in one statement: the generic cell rate algorithm, whose theoretical
 * arrival of the next write is `next_write_at`. All of it goes by one moment, `now()`: no delay between looking and
 * setting can let more through. A turn further off than `patience` is told and not taken.
 */
export async function takeTurn(db: Sql, quota: string, { interval, tolerance, patience }: Spacing): Promise<Turn> {
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
     returning ${MOMENTS}`,
    [quota, interval + tolerance, interval, tolerance + patience, tolerance + patience + interval + SLACK],
  );
  if (taken) return { kind: "taken", waitMs: Math.max(0, taken.turn - taken.now) };
  const next = await db.maybeOne(turnSchema, `select ${MOMENTS} from tracker_quotas q where quota = $1`, [
    quota,
    tolerance,
  ]);
  return { kind: "full", waitMs: next === null ? 0 : Math.max(0, next.turn - next.now) };
}

/** `$2` is how long before the next theoretical arrival the turn is. */
const MOMENTS = `(extract(epoch from q.next_write_at) * 1000)::float8 - $2::float8 as turn,
  (extract(epoch from now()) * 1000)::float8 as now`;
