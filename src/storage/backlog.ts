import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import type { Db } from "./db.ts";

/** Deliveries that are stored but not processed yet. */
export interface Backlog {
  waiting: number;
  /** Age of the oldest in seconds; 0 without any. */
  oldestSeconds: number;
  /** Dead letters: deliveries and wake-ups that wait for `relay retry`. */
  deadLettered: number;
}

const backlogRow = z.object({ waiting: z.number(), oldest: z.date().nullable(), given_up: z.number() });

/** Uses the partial indexes of pending rows, so its cost does not grow with what was processed before. */
export async function countBacklog(db: Db, clock: Clock): Promise<Backlog> {
  const { waiting, oldest, given_up } = await db.one(
    backlogRow,
    `select count(*)::int as waiting, min(received_at) as oldest,
            ((select count(*) from deliveries where dead_lettered_at is not null)
              + (select count(*) from issues where wake_dead_lettered_at is not null))::int as given_up
     from deliveries where processed_at is null and dead_lettered_at is null`,
    [],
  );
  const age = oldest === null ? 0 : (clock.now().getTime() - oldest.getTime()) / 1000;
  return { waiting, oldestSeconds: Math.max(0, age), deadLettered: given_up };
}
