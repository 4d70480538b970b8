import { z } from "zod";
import { camelRow } from "./camel-row.ts";
import { type TrackerEvent, EVENT_KINDS } from "../domain/event.ts";
import { type IssueAddress, type Provider, PROVIDERS, issueName } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Db, Statement } from "./db.ts";

const eventSchema = z.object({
  provider: z.enum(PROVIDERS),
  externalProjectId: z.string(),
  externalIssueId: z.string(),
  kind: z.enum(EVENT_KINDS),
  stableProjectId: z.string().exactOptional(),
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
  /** The tracker's id; the same when it redelivers. */
  deliveryId: string;
  /** Equal for the same change delivered under another id; null if the tracker never does that. */
  contentKey: string | null;
  /** In processing order; stored all or none. */
  events: readonly [TrackerEvent, ...TrackerEvent[]];
}

/** Trackers that repeat a change under another id do so within this time. */
const SAME_WITHIN_MS = 3_600_000;

/**
 * The statements that store deliveries, one row per event, and a reader of their results: the ids of each delivery's
 * rows, none for one that was stored before or repeats the last one of its issue (R-IN-2). The deliveries must be
 * distinct. Their positions are the processing order (R-IN-3): the locks make the positions of an issue become visible
 * in order.
 */
export function savingDeliveries(
  deliveries: readonly NewDelivery[],
  { clock, ids, halts }: { clock: Clock; ids: Ids; halts: (event: TrackerEvent) => boolean },
): { statements: Statement[]; read: (answers: { rows: unknown[] }[]) => string[][] } {
  const now = clock.now();
  const rows = deliveries.map(({ events }) => events.map((event) => ({ id: ids.next(), event })));
  const data = deliveries.flatMap(({ provider, deliveryId, contentKey, events: [first] }, of) =>
    (rows[of] ?? []).map(({ id, event }, n) => ({
      id,
      of,
      n,
      provider,
      delivery_id: rowName(deliveryId, n),
      content_key: contentKey,
      first_id: deliveryId,
      first_project: first.externalProjectId,
      first_issue: first.externalIssueId,
      halts: halts(event),
      event,
    })),
  );
  const issues = new Set(data.map((row) => issueName(row.event)));
  const storing = [JSON.stringify(data, storable), now, new Date(now.getTime() - SAME_WITHIN_MS)];
  return {
    statements: [
      { sql: LOCK_ISSUES, parameters: [[...issues].toSorted()] },
      { sql: STORE, parameters: storing },
    ],
    read: (answers) => {
      const stored = new Set(
        z
          .array(z.object({ id: z.string() }))
          .parse(answers[1]?.rows)
          .map((row) => row.id),
      );
      return rows.map((own) => own.map((row) => row.id).filter((id) => stored.has(id)));
    },
  };
}

/** A delivery has a row for each of its events. */
function rowName(deliveryId: string, n: number): string {
  return n === 0 ? deliveryId : `${deliveryId}#${n + 1}`;
}

/** The name of one of a delivery's events, among those of all trackers. */
export function nameOfEvent({ provider, deliveryId }: Pick<NewDelivery, "provider" | "deliveryId">, n: number): string {
  return `${provider} ${rowName(deliveryId, n)}`;
}

const receivedRow = camelRow({ event: eventSchema.nullable().catch(null), receivedAt: z.date() });

/** A stored event by its name; null if it is not stored, or not known to this version. */
export async function findReceived(db: Db, name: string): Promise<{ event: TrackerEvent; receivedAt: Date } | null> {
  const [provider, id] = [name.slice(0, name.indexOf(" ")), name.slice(name.indexOf(" ") + 1)];
  const sql = `select event, received_at from deliveries where provider = $1 and delivery_id = $2`;
  const found = await db.maybeOne(receivedRow, sql, [provider, id]);
  return found?.event ? { event: found.event, receivedAt: found.receivedAt } : null;
}

const LOCK_ISSUES = `select pg_advisory_xact_lock(hashtextextended(name, 1)) from unnest($1::text[]) name`;

const STORE = `
  with taken as (
    select * from jsonb_to_recordset($1::jsonb) as row(
      id bigint, "of" integer, n integer, provider text, delivery_id text, content_key text, first_id text,
      first_project text, first_issue text, halts boolean, event jsonb)
  )
  insert into deliveries (id, provider, delivery_id, content_key, event, halts, received_at)
  select t.id, t.provider, t.delivery_id, t.content_key, t.event, t.halts, $2::timestamptz
  from taken t
  where (
      -- As a question for each row: as a join, it would read the whole table where that is still small.
      select d.id from deliveries d where d.provider = t.provider and d.delivery_id = t.first_id) is null
    and (t.content_key is null or t.content_key is distinct from (
      select case when d.received_at > $3::timestamptz then d.content_key end
      from deliveries d
      where d.provider = t.provider and d.event ->> 'externalProjectId' = t.first_project
        and d.event ->> 'externalIssueId' = t.first_issue
      order by d.position desc limit 1))
  order by t."of", t.n
  on conflict (provider, delivery_id) do nothing
  returning id`;

/** PostgreSQL stores neither NUL nor lone surrogates, and anyone can send them. */
function storable(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll("\0", "\u{FFFD}").toWellFormed() : value;
}

export interface WaitingDelivery {
  id: string;
  /** Null if this version does not know the stored event. */
  event: TrackerEvent | null;
  /** Failures that were not transient. */
  attempts: number;
  /** How often the tracker did not show yet what it tells of (R-IN-11). */
  looks: number;
}

const waitingRow = z.object({
  id: z.string(),
  event: eventSchema.nullable().catch(null),
  attempts: z.number(),
  looks: z.number(),
});
export const WAITING = `processed_at is null and dead_lettered_at is null`;
const OF_ISSUE = `provider = $1 and event ->> 'externalProjectId' = $2 and event ->> 'externalIssueId' = $3`;

function addressOf({ provider, externalProjectId, externalIssueId }: IssueAddress): string[] {
  return [provider, externalProjectId, externalIssueId];
}

/** The next delivery of an issue to process; null when none is pending. */
export async function nextDelivery(db: Db, issue: IssueAddress): Promise<WaitingDelivery | null> {
  return await db.maybeOne(
    waitingRow,
    `select id, event, attempts, looks from deliveries where ${OF_ISSUE} and ${WAITING} order by position limit 1`,
    addressOf(issue),
  );
}

/** Counts a look at the tracker that did not show what the delivery tells of. */
export async function countLook(db: Db, id: string): Promise<void> {
  await db.execute(`update deliveries set looks = looks + 1 where id = $1`, [id]);
}

/** Whether a pending delivery tells that the comment of an event was deleted, or its whole issue deleted or moved. */
export async function isDeletionWaiting(db: Db, event: TrackerEvent): Promise<boolean> {
  const found = await db.maybeOne(
    z.object({}),
    `select from deliveries where ${OF_ISSUE} and ${WAITING} and (
       (event ->> 'kind' = 'comment_deleted' and event ->> 'commentId' = $4)
       or (event ->> 'kind' = 'closed' and event ->> 'outcome' in ('deleted', 'transferred'))) limit 1`,
    [...addressOf(event), event.commentId],
  );
  return found !== null;
}

/** What deliveries told of the comments of an issue since then, the last of each comment: at most 100. */
export async function listToldComments(db: Db, issue: IssueAddress, since: Date): Promise<TrackerEvent[]> {
  return await db.query(
    z.object({ event: eventSchema }).transform(({ event }) => event),
    `select distinct on (event ->> 'commentId') event from deliveries
     where ${OF_ISSUE} and event ->> 'kind' in ('commented', 'comment_edited', 'comment_deleted')
       and (event ->> 'at')::timestamptz >= $4
     order by event ->> 'commentId', position desc limit 100`,
    [...addressOf(issue), since],
  );
}

/** Whether a delivery is pending that may end or stop what Relay does in the issue. */
export async function isHaltWaiting(db: Db, issue: IssueAddress): Promise<boolean> {
  const found = await db.maybeOne(
    z.object({}),
    `select from deliveries where ${OF_ISSUE} and ${WAITING} and halts limit 1`,
    addressOf(issue),
  );
  return found !== null;
}

/** The names of the pending events of an issue, but for one delivery. */
export async function listWaitingNames(db: Db, issue: IssueAddress, butId: string): Promise<string[]> {
  const rows = await db.query(
    z.object({ name: z.string() }),
    `select provider || ' ' || delivery_id as name from deliveries where ${OF_ISSUE} and ${WAITING} and id <> $4`,
    [...addressOf(issue), butId],
  );
  return rows.map(({ name }) => name);
}

export async function markProcessed(db: Db, id: string, decision: string, clock: Clock): Promise<void> {
  await db.execute(`update deliveries set processed_at = $2, decision = $3 where id = $1`, [id, clock.now(), decision]);
}

/** Pending deliveries of an issue. */
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

/** Until when deliveries told of an issue, by the tracker's clock, and of how many of its comments. */
export async function heardOf(db: Db, issue: IssueAddress): Promise<{ until: Date | null; comments: number }> {
  return await db.one(
    z.object({ until: z.date().nullable(), comments: z.number() }),
    `select max((event ->> 'at')::timestamptz) as until,
            (count(distinct event ->> 'commentId') filter (where event ->> 'kind' = 'commented')
              - count(distinct event ->> 'commentId') filter (where event ->> 'kind' = 'comment_deleted'))::int as comments
     from deliveries where ${OF_ISSUE}`,
    addressOf(issue),
  );
}

export interface LastDelivery extends Pick<WaitingDelivery, "event"> {
  position: string;
  isWaiting: boolean;
  isDeadLetter: boolean;
  /** What became of it; null before. */
  decision: string | null;
}

/** The delivery of an issue that was stored last; null without any. */
export async function findLastDelivery(db: Db, issue: IssueAddress): Promise<LastDelivery | null> {
  const last = z.object({
    position: z.string(),
    isWaiting: z.boolean(),
    isDeadLetter: z.boolean(),
    decision: z.string().nullable(),
  });
  return await db.maybeOne(
    last.extend({ event: eventSchema.nullable().catch(null) }),
    `select position, event, (${WAITING}) as "isWaiting", dead_lettered_at is not null as "isDeadLetter", decision
     from deliveries where ${OF_ISSUE} order by position desc limit 1`,
    addressOf(issue),
  );
}

/** Whether a delivery of the issue waits for the tracker to show what it tells of. */
export async function isAwaitingTracker(db: Db, issue: IssueAddress): Promise<boolean> {
  const sql = `select from deliveries where ${OF_ISSUE} and ${WAITING} and looks > 0 limit 1`;
  return (await db.maybeOne(z.object({}), sql, addressOf(issue))) !== null;
}
