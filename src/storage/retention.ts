import { z } from "zod";
import type { Db } from "./db.ts";

/*
 * Data that is only kept for some time (R-SCALE-3). Each function removes at most `most` rows in one statement, and
 * returns how many it removed: fewer than `most` means that nothing is left. Figures stay, and so does everything that
 * an issue needs that has not ended.
 */

const idRow = z.object({ id: z.string() });

/** The time this many days ago, by the database's clock: that of a process may be ahead. */
export async function daysAgo(db: Db, days: number): Promise<Date> {
  const sql = `select date_trunc('milliseconds', now() - $1::int * interval '1 day') as at`;
  return (await db.one(z.object({ at: z.date() }), sql, [days])).at;
}

/** Empties the texts of model calls and their outcomes; rows, tokens and costs stay. */
export async function emptyModelTexts(db: Db, before: Date, most: number): Promise<number> {
  return await db.execute(
    `update llm_evals set input = 'null', output = 'null', texts_removed_at = now()
     where id = any (array(${OLD_TEXTS} order by created_at limit $2))`,
    [before, most],
  );
}

/** Removes deliveries that were processed before then: their ids are no longer needed to detect duplicates. */
export async function removeProcessed(db: Db, before: Date, most: number): Promise<number> {
  return await db.execute(
    `delete from deliveries where id = any (array(${OLD_DELIVERIES} order by processed_at limit $2))`,
    [before, most],
  );
}

/** Removes dead letters of issues that have ended, since nobody retries those. */
export async function removeDeadLetters(db: Db, before: Date, most: number): Promise<number> {
  return await db.execute(`delete from deliveries where id = any (array(${OLD_DEAD_LETTERS} limit $2))`, [
    before,
    most,
  ]);
}

/**
 * Removes notices that were sent or given up. Those about the current month's budget stay, so that they are not sent
 * again.
 */
export async function removeNotices(db: Db, before: Date, most: number): Promise<number> {
  return await db.execute(`delete from notices where id = any (array(${OLD_NOTICES} order by ended_at limit $2))`, [
    before,
    most,
  ]);
}

/** Removes entries of the audit log that belong to no issue. */
export async function removeAuditWithoutIssue(db: Db, before: Date, most: number): Promise<number> {
  return await db.execute(
    `delete from audit_log where id = any (array(
       select id from audit_log where issue_id is null and at < $1 order by at limit $2))`,
    [before, most],
  );
}

/** What is kept for some time after an issue has ended. */
export type Remains = "records" | "audit";

/** Issues that ended before then and still have such remains, oldest end first. */
export async function listWithRemains(db: Db, remains: Remains, before: Date, most: number): Promise<string[]> {
  const rows = await db.query(idRow, `${withRemains(remains)} order by updated_at limit $2`, [before, most]);
  return rows.map(({ id }) => id);
}

/** Those of the given issues that ended before then. */
export async function endedAmong(db: Db, issueIds: readonly string[], before: Date): Promise<string[]> {
  const sql = `select id from issues where id = any ($1::bigint[]) and ${ENDED} and updated_at < $2`;
  return (await db.query(idRow, sql, [issueIds, before])).map(({ id }) => id);
}

/** Removes logs of the runs of an issue; 0 also if it did not end before then. */
export async function removeRunLogs(db: Db, issueId: string, before: Date, most: number): Promise<number> {
  return await db.execute(
    `delete from run_log where (run_id, seq) in (
       select l.run_id, l.seq from runs r join run_log l on l.run_id = r.id
       where r.issue_id = $1 and ${isEnded("r.issue_id")} limit $3)`,
    [issueId, before, most],
  );
}

/**
 * Removes entries from an issue's audit log, except who called Relay and its states, which the numbers of comments
 * depend on. 0 also if the issue did not end before then.
 */
export async function removeAuditEntries(db: Db, issueId: string, before: Date, most: number): Promise<number> {
  return await db.execute(
    `delete from audit_log where id = any (array(
       select id from audit_log where issue_id = $1 and ${isEnded("issue_id")}
         and what not in ('issue.engaged', 'state.changed') and (what <> 'words.taken_up' or after ->> 'did' is distinct from 'reopened')
       order by id limit $3))`,
    [issueId, before, most],
  );
}

/** Stores that all such remains of these issues are removed. */
export async function markRemoved(db: Db, remains: Remains, issueIds: readonly string[], before: Date): Promise<void> {
  await db.execute(
    `update issues set ${remains}_removed_at = now() where id = any ($1::bigint[]) and ${ENDED} and updated_at < $2`,
    [issueIds, before],
  );
}

/** When an issue's remains were last removed; null if nothing was. */
export async function removedAt(db: Db, remains: Remains, issueId: string): Promise<Date | null> {
  const sql = `select ${remains}_removed_at as at from issues where id = $1`;
  return (await db.maybeOne(z.object({ at: z.date().nullable() }), sql, [issueId]))?.at ?? null;
}

/** The clone addresses of repositories with issues that have not ended. */
export async function listOpenSources(db: Db): Promise<string[]> {
  const rows = await db.query(
    z.object({ source: z.string() }),
    `select r.clone_source as source from repositories r where r.clone_source is not null
       and exists (select from issues where repository_id = r.id and state not in ('done', 'closed'))`,
    [],
  );
  return rows.map(({ source }) => source);
}

const ENDED = `state in ('done', 'closed')`;
const OLD_TEXTS = `select id from llm_evals where texts_removed_at is null and created_at < $1`;
const OLD_DELIVERIES = `select id from deliveries where processed_at < $1`;
const OLD_NOTICES = `
  select id from notices where ended_at < $1
    and (issue_id is not null or created_at < date_trunc('month', now(), 'UTC'))`;
const OLD_DEAD_LETTERS = `
  select d.id from deliveries d where d.dead_lettered_at < $1 and d.processed_at is null and exists (
    select from repositories r join integrations i on i.id = r.integration_id join issues s on s.repository_id = r.id
    where i.provider = d.provider and r.external_project_id = d.event ->> 'externalProjectId'
      and s.external_issue_id = d.event ->> 'externalIssueId' and s.${ENDED})`;

function isEnded(issueId: string): string {
  return `exists (select from issues where id = ${issueId} and ${ENDED} and updated_at < $2)`;
}

function withRemains(remains: Remains): string {
  return `select id from issues where ${ENDED} and updated_at < $1
    and (${remains}_removed_at is null or ${remains}_removed_at < updated_at)`;
}

/** What is due for removal, each counted up to `most`. Null for what is never removed. */
export interface Due {
  modelTexts: number | null;
  /** Issues with records, or audit log entries, that are due. */
  records: number | null;
  audit: number | null;
  deliveries: number | null;
  notices: number | null;
}

export async function countDue(db: Db, before: Record<keyof Due, Date | null>, most: number): Promise<Due> {
  const count = async (sql: string, at: Date | null) =>
    at === null
      ? null
      : (
          await db.one(z.object({ count: z.number() }), `select count(*)::int as count from (${sql} limit $2) due`, [
            at,
            most,
          ])
        ).count;
  return {
    modelTexts: await count(OLD_TEXTS, before.modelTexts),
    records: await count(withRemains("records"), before.records),
    audit: await count(withRemains("audit"), before.audit),
    deliveries: await count(`(${OLD_DELIVERIES} limit $2) union all (${OLD_DEAD_LETTERS} limit $2)`, before.deliveries),
    notices: await count(OLD_NOTICES, before.notices),
  };
}
