import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import type { Db } from "./db.ts";

/** Deliveries that are taken in and not worked off. */
export interface Backlog {
  waiting: number;
  /** Seconds that the oldest of them waits; 0 without any. */
  oldestSeconds: number;
  /** Deliveries and wake-ups that failed often enough, and wait for `relay retry`. */
  givenUp: number;
}

const row = z.object({ waiting: z.number(), oldest: z.date().nullable(), given_up: z.number() });

/** Counts with the indexes of what waits, so that it costs the same however much was worked off before. */
export async function countBacklog(db: Db, clock: Clock): Promise<Backlog> {
  const { waiting, oldest, given_up } = await db.one(
    row,
    `select count(*)::int as waiting, min(received_at) as oldest,
            ((select count(*) from deliveries where dead_lettered_at is not null)
              + (select count(*) from issues where wake_dead_lettered_at is not null))::int as given_up
     from deliveries where processed_at is null and dead_lettered_at is null`,
    [],
  );
  const age = oldest === null ? 0 : (clock.now().getTime() - oldest.getTime()) / 1000;
  return { waiting, oldestSeconds: Math.max(0, age), givenUp: given_up };
}
