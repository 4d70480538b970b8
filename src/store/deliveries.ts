import { z } from "zod";
import { EVENT_KINDS } from "../domain/event.ts";
import type { TrackerEvent } from "../domain/event.ts";
import type { IssueAddress } from "../domain/issue.ts";
import { PROVIDERS } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Db } from "./db.ts";

const idRow = z.object({ id: z.string() });

const eventSchema = z.object({
  provider: z.enum(PROVIDERS),
  externalProjectId: z.string(),
  externalIssueId: z.string(),
  kind: z.enum(EVENT_KINDS),
  actor: z.string(),
  actorIsBot: z.boolean(),
  at: z.iso.datetime().transform((value) => new Date(value)),
  assignee: z.string().nullable(),
  commentId: z.string().nullable(),
  threadId: z.string().nullable().default(null),
  text: z.string().nullable(),
  branch: z.string().nullable().default(null),
  outcome: z.string().nullable().default(null),
});

/** Stores a delivery; null when one with this id is stored already (R-IN-2). */
export async function saveDelivery(
  db: Db,
  deliveryId: string,
  event: TrackerEvent,
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<string | null> {
  const row = await db.maybeOne(
    idRow,
    `insert into deliveries (id, provider, delivery_id, event, received_at) values ($1, $2, $3, $4, $5)
     on conflict (provider, delivery_id) do nothing returning id`,
    [ids.next(), event.provider, deliveryId, JSON.stringify(event), clock.now()],
  );
  return row?.id ?? null;
}

export interface StoredDelivery {
  event: TrackerEvent;
  processedAt: Date | null;
}

/** Null when its issue was forgotten meanwhile. */
export async function findDelivery(db: Db, id: string): Promise<StoredDelivery | null> {
  const row = await db.maybeOne(
    z.object({ event: eventSchema, processed_at: z.date().nullable() }),
    `select event, processed_at from deliveries where id = $1`,
    [id],
  );
  return row && { event: row.event, processedAt: row.processed_at };
}

/** The deliveries that are stored and not yet worked off, in their order. */
export async function listUnprocessed(db: Db): Promise<{ id: string; event: TrackerEvent }[]> {
  return await db.query(
    z.object({ id: z.string(), event: eventSchema }),
    `select id, event from deliveries where processed_at is null order by received_at, id`,
    [],
  );
}

export async function markProcessed(db: Db, id: string, decision: string, clock: Clock): Promise<void> {
  await db.execute(`update deliveries set processed_at = $2, decision = $3 where id = $1`, [id, clock.now(), decision]);
}

const OF_ISSUE = `provider = $1 and event ->> 'externalProjectId' = $2 and event ->> 'externalIssueId' = $3`;

/** Deliveries of an issue that are stored and not yet worked off. */
export async function countUnprocessed(db: Db, issue: IssueAddress): Promise<number> {
  const row = await db.one(
    z.object({ count: z.number() }),
    `select count(*)::int as count from deliveries where ${OF_ISSUE} and processed_at is null`,
    [issue.provider, issue.externalProjectId, issue.externalIssueId],
  );
  return row.count;
}

export async function forgetDeliveries(db: Db, issue: IssueAddress): Promise<void> {
  await db.execute(`delete from deliveries where ${OF_ISSUE}`, [
    issue.provider,
    issue.externalProjectId,
    issue.externalIssueId,
  ]);
}
