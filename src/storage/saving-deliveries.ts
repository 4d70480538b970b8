import { z } from "zod";
import type { TrackerEvent } from "../domain/event.ts";
import { type Provider, issueName } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Statement } from "./batches.ts";
import type { Db } from "./db.ts";
import { WAITING } from "./deliveries.ts";

export interface NewDelivery {
  provider: Provider;
  /** The tracker's id; the same when it redelivers. */
  deliveryId: string;
  /** Equal for the same change delivered under another id; null if the tracker never does this. */
  contentKey: string | null;
  /** The span in which it was received, which its processing continues; null or absent without one. */
  trace?: string | null;
  /** In processing order; all or none are stored. */
  events: readonly [TrackerEvent, ...TrackerEvent[]];
}

export interface SavingDeps {
  clock: Clock;
  ids: Ids;
  /** Whether an event may end or stop what Relay does; null if its words decide, which nobody has read yet. */
  halts: (event: TrackerEvent) => boolean | null;
}

const storedRows = z.array(z.object({ id: z.string() }));

/** Trackers that repeat a change under another id do so within this time. */
const SAME_WITHIN_MS = 3_600_000;

/**
 * The statements that store deliveries, one row per event, and a reader of their results: the ids of each delivery's
 * rows, none if it was stored before or repeats the last one of its issue (R-IN-2). The deliveries must be distinct.
 * Positions are in processing order (R-IN-3): the locks ensure that the positions of an issue become visible in order.
 * `dropsIrrelevant` stores deliveries as processed, and only those of issues that Relay is not engaged in and that have
 * nothing pending.
 */
export function savingDeliveries(
  deliveries: readonly NewDelivery[],
  { clock, ids, halts, dropsIrrelevant = false }: SavingDeps & { dropsIrrelevant?: boolean },
): { statements: Statement[]; read: (answers: { rows: unknown[] }[]) => string[][] } {
  const now = clock.now();
  const rows = deliveries.map(({ events }) => events.map((event) => ({ id: ids.next(), event })));
  const data = deliveries.flatMap(({ provider, deliveryId, contentKey, trace = null, events: [first] }, of) =>
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
      halts: dropsIrrelevant ? false : halts(event),
      trace,
      event,
    })),
  );
  const issues = new Set(data.map((row) => issueName(row.event)));
  const storing = [JSON.stringify(data, storable), now, new Date(now.getTime() - SAME_WITHIN_MS)];
  return {
    statements: [
      { sql: LOCK_ISSUES, parameters: [JSON.stringify([...issues].toSorted())] },
      { sql: dropsIrrelevant ? STORE_PROCESSED : STORE, parameters: storing },
    ],
    read: (answers) => {
      const stored = new Set(storedRows.parse(answers[1]?.rows).map((row) => row.id));
      return rows.map((own) => own.map((row) => row.id).filter((id) => stored.has(id)));
    },
  };
}

/** Stores one delivery in a transaction of the caller, unless it is stored already. */
export async function saveDelivery(tx: Db, delivery: NewDelivery, deps: SavingDeps): Promise<void> {
  for (const { sql, parameters } of savingDeliveries([delivery], deps).statements) await tx.execute(sql, parameters);
}

/** A delivery has a row for each of its events. */
function rowName(deliveryId: string, n: number): string {
  return n === 0 ? deliveryId : `${deliveryId}#${n + 1}`;
}

/** The name of one of a delivery's events, among those of all trackers. */
export function nameOfEvent({ provider, deliveryId }: Pick<NewDelivery, "provider" | "deliveryId">, n: number): string {
  return `${provider} ${rowName(deliveryId, n)}`;
}

const LOCK_ISSUES = `select pg_advisory_xact_lock(hashtextextended(name, 1)) from jsonb_array_elements_text($1::jsonb) name`;

/** SQL that inserts rows; `further` are columns with their values, and `where` is a condition on the row `t`. */
const storing = (further: { columns: string; values: string; where: string }) => `
  insert into deliveries (id, provider, delivery_id, content_key, event, halts, trace, received_at${further.columns})
  select t.id, t.provider, t.delivery_id, t.content_key, t.event, t.halts, t.trace, $2::timestamptz${further.values}
  from jsonb_to_recordset($1::jsonb) as t(
    id bigint, "of" integer, n integer, provider text, delivery_id text, content_key text, first_id text,
    first_project text, first_issue text, halts boolean, trace text, event jsonb)
  where (
      -- As a question for each row, like all of these: a join reads the whole table, which a backlog makes large.
      select d.id from deliveries d where d.provider = t.provider and d.delivery_id = t.first_id) is null
    and (t.content_key is null or t.content_key is distinct from (
      select case when d.received_at > $3::timestamptz then d.content_key end
      from deliveries d
      where d.provider = t.provider and d.event ->> 'externalProjectId' = t.first_project
        and d.event ->> 'externalIssueId' = t.first_issue
      order by d.position desc limit 1))${further.where}
  order by t."of", t.n
  on conflict (provider, delivery_id) do nothing`;

const STORE = `${storing({ columns: "", values: "", where: "" })}
  returning id`;

/** SQL: the repositories of the delivery's tracker. */
const OF_TRACKER = `repositories r join integrations i on i.id = r.integration_id where i.provider = t.provider`;

/**
 * SQL: stores a delivery as processed, unless its repository has another name or its name another repository: people
 * rename repositories, so the tracker must then decide which one is meant.
 */
const ASIDE = storing({
  columns: ", processed_at, decision",
  values: `, $2::timestamptz,
    case when exists (select from ${OF_TRACKER} and r.external_project_id = t.first_project)
      then 'drop: not engaged' else 'drop: unknown repository' end`,
  where: `
    and (select r.id from ${OF_TRACKER}
      and r.stable_id = t.event ->> 'stableProjectId' and r.external_project_id <> t.first_project limit 1) is null
    and (select r.id from ${OF_TRACKER}
      and r.external_project_id = t.first_project and r.stable_id <> t.event ->> 'stableProjectId' limit 1) is null
    and (select s.id from issues s join repositories r on r.id = s.repository_id
      join integrations i on i.id = r.integration_id
      where i.provider = t.provider and r.external_project_id = t.first_project and s.external_issue_id = t.first_issue
      limit 1) is null
    and (select d.id from deliveries d
      where d.provider = t.provider and d.event ->> 'externalProjectId' = t.first_project
        and d.event ->> 'externalIssueId' = t.first_issue and ${WAITING} limit 1) is null`,
});

/** Also counts them (`figures`); others are counted when they are marked as processed. */
const STORE_PROCESSED = `
  with stored as (${ASIDE} returning id, provider, decision),
  counted as (
    insert into figures_added
    select 'deliveries', array[provider, split_part(decision, ':', 1)], count(*) from stored group by 2)
  select id from stored`;

/** PostgreSQL stores neither NUL nor lone surrogates, and anyone can send them. */
function storable(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll("\0", "\u{FFFD}").toWellFormed() : value;
}
