import { z } from "zod";
import { EVENT_KINDS } from "../domain/event.ts";
import type { TrackerEvent } from "../domain/event.ts";
import type { IssueAddress, Provider } from "../domain/issue.ts";
import { PROVIDERS, issueName } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Db } from "./db.ts";

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

export interface NewDelivery {
  provider: Provider;
  /** The tracker's id, the same when it delivers again. */
  deliveryId: string;
  /** The same for the same happening under another id; null where that cannot be. */
  contentKey: string | null;
  /** In the order to take them in; stored all or none. */
  events: readonly [TrackerEvent, ...TrackerEvent[]];
}

/** A tracker that tells the same under another id does so soon. */
const SAME_WITHIN_MS = 3_600_000;

/**
 * Stores deliveries that do not repeat each other, one row for each event, and tells the ids of each, none for one
 * that was stored before or tells what the last one of its issue told (R-IN-2). Their positions are the order in which
 * they are worked off (R-IN-3): the locks make the positions of an issue become visible in their order.
 */
export async function saveDeliveries(
  tx: Db,
  deliveries: readonly NewDelivery[],
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<string[][]> {
  const now = clock.now();
  const rows = deliveries.flatMap(({ provider, deliveryId, contentKey, events }, of) =>
    events.map((event, n) => ({
      id: ids.next(),
      of,
      n,
      provider,
      delivery_id: n === 0 ? deliveryId : `${deliveryId}#${n + 1}`,
      content_key: contentKey,
      first_id: deliveryId,
      first_project: events[0].externalProjectId,
      first_issue: events[0].externalIssueId,
      event,
    })),
  );
  const issues = new Set(rows.map((row) => issueName(row.event)));
  await tx.execute(`select pg_advisory_xact_lock(hashtextextended(name, 1)) from unnest($1::text[]) name`, [
    [...issues].toSorted(),
  ]);
  const stored = await tx.query(
    z.object({ id: z.string() }),
    `with taken as (
       select * from jsonb_to_recordset($1::jsonb) as row(
         id bigint, "of" integer, n integer, provider text, delivery_id text, content_key text, first_id text,
         first_project text, first_issue text, event jsonb)
     )
     insert into deliveries (id, provider, delivery_id, content_key, event, received_at)
     select t.id, t.provider, t.delivery_id, t.content_key, t.event, $2::timestamptz
     from taken t
     where not exists (
         select from deliveries d where d.provider = t.provider and d.delivery_id = t.first_id)
       and (t.content_key is null or t.content_key is distinct from (
         select case when d.received_at > $3::timestamptz then d.content_key end
         from deliveries d
         where d.provider = t.provider and d.event ->> 'externalProjectId' = t.first_project
           and d.event ->> 'externalIssueId' = t.first_issue
         order by d.position desc limit 1))
     order by t."of", t.n
     on conflict (provider, delivery_id) do nothing
     returning id`,
    [JSON.stringify(rows, storable), now, new Date(now.getTime() - SAME_WITHIN_MS)],
  );
  const known = new Set(stored.map((row) => row.id));
  return deliveries.map((_, of) => rows.filter((row) => row.of === of && known.has(row.id)).map((row) => row.id));
}

/** PostgreSQL stores no NUL and no half of a surrogate pair; strangers may send them. */
function storable(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll("\0", "\u{FFFD}").toWellFormed() : value;
}

export interface WaitingDelivery {
  id: string;
  event: TrackerEvent;
  /** Failures that were no passing trouble. */
  attempts: number;
}

const waitingRow = z.object({ id: z.string(), event: eventSchema, attempts: z.number() });
const WAITING = `processed_at is null and given_up_at is null`;
const OF_ISSUE = `provider = $1 and event ->> 'externalProjectId' = $2 and event ->> 'externalIssueId' = $3`;

function addressOf({ provider, externalProjectId, externalIssueId }: IssueAddress): string[] {
  return [provider, externalProjectId, externalIssueId];
}

/** The issue that a delivery is of; null when it was forgotten meanwhile. */
export async function findAddress(db: Db, deliveryId: string): Promise<IssueAddress | null> {
  const row = await db.maybeOne(z.object({ event: eventSchema }), `select event from deliveries where id = $1`, [
    deliveryId,
  ]);
  return row?.event ?? null;
}

/** The delivery of an issue that is to be worked off next; null when none waits. */
export async function nextDelivery(db: Db, issue: IssueAddress): Promise<WaitingDelivery | null> {
  return await db.maybeOne(
    waitingRow,
    `select id, event, attempts from deliveries where ${OF_ISSUE} and ${WAITING} order by position limit 1`,
    addressOf(issue),
  );
}

/** For each issue that has deliveries waiting, the first of them. */
export async function listWaiting(db: Db): Promise<WaitingDelivery[]> {
  return await db.query(
    waitingRow,
    `select distinct on (provider, event ->> 'externalProjectId', event ->> 'externalIssueId') id, event, attempts
     from deliveries where ${WAITING}
     order by provider, event ->> 'externalProjectId', event ->> 'externalIssueId', position`,
    [],
  );
}

export async function markProcessed(db: Db, id: string, decision: string, clock: Clock): Promise<void> {
  await db.execute(`update deliveries set processed_at = $2, decision = $3 where id = $1`, [id, clock.now(), decision]);
}

/** Deliveries of an issue that are stored and not yet worked off. */
export async function countUnprocessed(db: Db, issue: IssueAddress): Promise<number> {
  const row = await db.one(
    z.object({ count: z.number() }),
    `select count(*)::int as count from deliveries where ${OF_ISSUE} and ${WAITING}`,
    addressOf(issue),
  );
  return row.count;
}

export async function forgetDeliveries(db: Db, issue: IssueAddress): Promise<void> {
  await db.execute(`delete from deliveries where ${OF_ISSUE}`, addressOf(issue));
}
