import { camelRow } from "./camel-row.ts";
import { z } from "zod";
import type { AuditEntry, Cycle } from "../domain/cycle.ts";
import { keptCode, keptJson } from "../domain/text/clean-text.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Sight } from "../domain/sight.ts";
import type { Db } from "./db.ts";
import { seenBy } from "./sight.ts";

export const auditRow = camelRow({
  id: z.string(),
  issueId: z.string().nullable(),
  at: z.date(),
  actor: z.string(),
  what: z.string(),
  why: z.string().nullable(),
  before: z.unknown(),
  after: z.unknown(),
}).transform((row) => ({ ...row, before: row.before ?? null, after: row.after ?? null }));

export type NewAuditEntry = Pick<AuditEntry, "issueId" | "actor" | "what"> &
  Partial<Pick<AuditEntry, "why" | "before" | "after">>;

/**
 * Appends to the audit log (R-ACT-7), without secrets and hidden characters (R-SAFE-3, R-SAFE-10). Call it in the
 * transaction of the recorded change.
 */
export async function record(db: Db, entry: NewAuditEntry, { clock, ids }: { clock: Clock; ids: Ids }): Promise<void> {
  await db.execute(
    `insert into audit_log (id, issue_id, at, actor, what, why, before, after) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      ids.next(),
      entry.issueId,
      clock.now(),
      entry.actor,
      entry.what,
      entry.why == null ? null : keptCode(entry.why),
      toJson(entry.before),
      toJson(entry.after),
    ],
  );
}

/** Work that a tracker may refuse; it is retried until access is restored. */
export type RefusedWork = "delivery" | "wake" | "run";

/** Records what Relay was not allowed to do for an issue, unless the issue's last entry already says so. */
export async function recordNoAccess(
  db: Db,
  issueId: string,
  { why, work }: { why: string; work: RefusedWork },
  now: { clock: Clock; ids: Ids },
): Promise<void> {
  const last = await db.maybeOne(
    z.object({ what: z.string(), why: z.string().nullable() }),
    `select what, why from audit_log where issue_id = $1 order by id desc limit 1`,
    [issueId],
  );
  if (last?.what === "access.missing" && last.why === keptCode(why)) return;
  await record(db, { issueId, actor: "relay", what: "access.missing", why, after: work }, now);
}

/** Records that the work that was last refused is allowed again. */
export async function recordAccess(
  db: Db,
  issueId: string,
  work: RefusedWork,
  now: { clock: Clock; ids: Ids },
): Promise<void> {
  const last = await db.maybeOne(
    z.object({ what: z.string(), after: z.unknown() }),
    `select what, after from audit_log where issue_id = $1 and what in ('access.missing', 'access.given')
     order by id desc limit 1`,
    [issueId],
  );
  if (last?.what !== "access.missing" || last.after !== work) return;
  await record(db, { issueId, actor: "relay", what: "access.given", after: work }, now);
}

/** The audit log of one issue, oldest first. */
export async function listAudit(db: Db, issueId: string): Promise<AuditEntry[]> {
  return await db.query(auditRow, `select * from audit_log where issue_id = $1 order by id`, [issueId]);
}

/**
 * The newest entries of an issue from `since` on and before `until`, at most `most`, oldest first; null means no limit.
 */
export async function listAuditBetween(
  db: Db,
  issueId: string,
  { since, until, most }: { since: Date | null; until: Date | null; most: number },
): Promise<AuditEntry[]> {
  const newest = await db.query(
    auditRow,
    `select * from audit_log where issue_id = $1 and ($2::timestamptz is null or at >= $2)
       and ($3::timestamptz is null or at < $3) order by id desc limit $4`,
    [issueId, since, until, most],
  );
  return newest.toReversed();
}

/** How many of the newest entries are searched for one that the viewer may see. */
const LOOKED_AT = 1_000;

/** The number of the last entry of an issue, or of all, that the viewer may see; 0 if none of the newest is visible. */
export async function lastEntry(db: Db, issueId: string | null, sight: Sight): Promise<string> {
  const seen = seenBy(sight, 2);
  const row = await db.maybeOne(
    z.object({ id: z.string() }),
    `select id from (
       select id, issue_id from audit_log where $1::bigint is null or issue_id = $1 order by id desc limit ${LOOKED_AT}) newest
     where $2::bigint[] is null or exists (select from issues s where s.id = newest.issue_id and ${seen.where})
     order by id desc limit 1`,
    [issueId, ...seen.parameters],
  );
  return row?.id ?? "0";
}

/** The `text` that the audit log has for the planning of a cycle; null if there is none. */
export async function textPlannedFrom(db: Db, cycle: Pick<Cycle, "issueId" | "number">): Promise<string | null> {
  const found = await db.maybeOne(
    z.object({ text: z.string().nullable() }),
    `select after ->> 'text' as text from audit_log
     where issue_id = $1 and what = 'cycle.planned' and after ->> 'cycle' = $2 order by id desc limit 1`,
    [cycle.issueId, String(cycle.number)],
  );
  return found?.text ?? null;
}

/** Whether it is on record that Relay opened this pull request of the issue. */
export async function isOpeningRecorded(db: Db, issueId: string, request: number): Promise<boolean> {
  const sql = `select from audit_log where issue_id = $1 and what = 'request.opened' and after ->> 'request' = $2 limit 1`;
  return (await db.maybeOne(z.object({}), sql, [issueId, String(request)])) !== null;
}

/** A number that grows whenever an issue is done, closed or reopened, or Relay is stopped in it. */
export async function countClosings(db: Db, issueId: string): Promise<number> {
  const { count } = await db.one(
    z.object({ count: z.number() }),
    `select count(*)::int as count from audit_log
     where issue_id = $1 and (
       (what = 'state.changed' and after in ('"closed"'::jsonb, '"done"'::jsonb))
       or (what = 'words.taken_up' and after ->> 'did' = 'reopened'))`,
    [issueId],
  );
  return count;
}

function toJson(value: unknown): string | null {
  return value === undefined || value === null ? null : keptJson(value);
}
