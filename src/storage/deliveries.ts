import { z } from "zod";
import { camelRow } from "./camel-row.ts";
import { type TrackerEvent, EVENT_KINDS, OF_A_BRANCH } from "../domain/event.ts";
import { type Issue, type IssueAddress, PROVIDERS } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import type { Db } from "./db.ts";

export const eventSchema = z.object({
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

const receivedRow = camelRow({ event: eventSchema.nullable().catch(null), receivedAt: z.date() });

/** A stored event by its name; null if it is not stored, or unknown to this version. */
export async function findReceived(db: Db, name: string): Promise<{ event: TrackerEvent; receivedAt: Date } | null> {
  const [provider, id] = [name.slice(0, name.indexOf(" ")), name.slice(name.indexOf(" ") + 1)];
  const sql = `select event, received_at from deliveries where provider = $1 and delivery_id = $2`;
  const found = await db.maybeOne(receivedRow, sql, [provider, id]);
  return found?.event ? { event: found.event, receivedAt: found.receivedAt } : null;
}

export interface WaitingDelivery {
  id: string;
  /** The id that it came with. */
  deliveryId: string;
  /** Null if this version does not know the stored event. */
  event: TrackerEvent | null;
  /** Failures that were not transient. */
  attempts: number;
  /** How often the tracker did not show the event's change yet (R-IN-11). */
  looks: number;
  /** The span in which it was received; null without one. */
  trace: string | null;
}

const waitingRow = camelRow({
  id: z.string(),
  deliveryId: z.string(),
  event: eventSchema.nullable().catch(null),
  attempts: z.number(),
  looks: z.number(),
  trace: z.string().nullable(),
});
/** SQL: deliveries that are pending. */
export const WAITING = `processed_at is null and dead_lettered_at is null`;
/** SQL: deliveries of one issue, by its address. */
export const OF_ISSUE = `provider = $1 and event ->> 'externalProjectId' = $2 and event ->> 'externalIssueId' = $3`;

function addressOf({ provider, externalProjectId, externalIssueId }: IssueAddress): string[] {
  return [provider, externalProjectId, externalIssueId];
}

/** The next delivery of an issue to process; null when none is pending. */
export async function nextDelivery(db: Db, issue: IssueAddress): Promise<WaitingDelivery | null> {
  return await db.maybeOne(
    waitingRow,
    `select id, delivery_id, event, attempts, looks, trace from deliveries
     where ${OF_ISSUE} and ${WAITING} order by position limit 1`,
    addressOf(issue),
  );
}

/** Counts a check of the tracker that did not show the delivery's change yet. */
export async function countLook(db: Db, id: string): Promise<void> {
  await db.execute(`update deliveries set looks = looks + 1 where id = $1`, [id]);
}

/**
 * Whether a pending delivery says that the event's comment was deleted, or that the whole issue was deleted or moved.
 */
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

/** The last event of each comment of an issue delivered since then: at most 100. */
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

const readableRow = z.object({ id: z.string(), event: eventSchema.nullable().catch(null) });

/** The pending deliveries of an issue that may end or stop what Relay does, or whose words nobody has read yet. */
export async function listHalting(db: Db, issue: IssueAddress): Promise<(TrackerEvent | null)[]> {
  const sql = `select id, event from deliveries where ${OF_ISSUE} and ${WAITING} and halts is not false`;
  return (await db.query(readableRow, sql, addressOf(issue))).map(({ event }) => event);
}

/** Pending deliveries of other issues whose words nobody has read yet, the oldest first. */
export async function listUnread(
  db: Db,
  besides: IssueAddress,
  most: number,
): Promise<{ id: string; event: TrackerEvent | null }[]> {
  return await db.query(
    readableRow,
    `select id, event from deliveries where not (${OF_ISSUE}) and ${WAITING} and halts is null order by position limit $4`,
    [...addressOf(besides), most],
  );
}

/** Stores which of the deliveries that were read may end or stop what Relay does. */
export async function markRead(db: Db, ids: readonly string[], halting: readonly string[]): Promise<void> {
  await db.execute(`update deliveries set halts = id = any($2::bigint[]) where id = any($1::bigint[])`, [ids, halting]);
}

/** The names of an issue's pending events, except those of one delivery. */
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

export async function forgetDeliveries(db: Db, issue: Issue): Promise<void> {
  await db.execute(`delete from deliveries where ${OF_ISSUE}`, addressOf(issue));
  await db.execute(
    `delete from deliveries d using task_requests q where q.issue_id = $1 and d.provider = $2
       and d.event ->> 'externalProjectId' = q.external_project_id and d.event ->> 'externalIssueId' = '!' || q.number`,
    [issue.id, issue.provider],
  );
  await db.execute(
    `delete from deliveries where ${OF_ISSUE} and event ->> 'branch' in (select branch from runs where issue_id = $4)`,
    [...addressOf({ ...issue, externalIssueId: OF_A_BRANCH }), issue.id],
  );
}

/** The time of the last delivered event of an issue, by the tracker's clock, and the number of comments delivered. */
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
  /** The outcome; null before it is processed. */
  decision: string | null;
}

/** The delivery of an issue that was stored last; null if there is none. */
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

/** Whether a delivery of the issue waits for the tracker to show its change. */
export async function isAwaitingTracker(db: Db, issue: IssueAddress): Promise<boolean> {
  const sql = `select from deliveries where ${OF_ISSUE} and ${WAITING} and looks > 0 limit 1`;
  return (await db.maybeOne(z.object({}), sql, addressOf(issue))) !== null;
}
