import { camelRow } from "./camel-row.ts";
import {
  FINDINGS_PER_ISSUE,
  REMOVALS,
  findingSourceSchema,
  type Finding,
  type FindingSource,
  type Removal,
  type RemovedFinding,
} from "../domain/finding.ts";
import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Db } from "./db.ts";

const finding = {
  id: z.string(),
  issueId: z.string(),
  number: z.number(),
  synthesis: z.string(),
  sources: z.array(findingSourceSchema),
  commit: z.string().nullable(),
  createdAt: z.date(),
};
const findingRow = camelRow(finding);
const removedRow = camelRow({ ...finding, removedAt: z.date(), why: z.enum(REMOVALS).nullable() });

const idRow = z.object({ id: z.string() });

/** SQL: sources without their code snippets. */
function placesOf(sources: string): string {
  return `(select coalesce(jsonb_agg(one - 'snippet' order by at), '[]')
           from jsonb_array_elements(${sources}) with ordinality as each (one, at))`;
}

/** Oldest first; a finding that was found again is sorted by its last time. */
export async function listFindings(db: Db, issueId: string): Promise<Finding[]> {
  return await db.query(findingRow, `select * from findings where issue_id = $1 order by id`, [issueId]);
}

/** What is kept of removed findings, by number: specs may still cite them (R-SPEC-17). */
export async function listRemovedFindings(db: Db, issueId: string): Promise<RemovedFinding[]> {
  return await db.query(removedRow, `select * from removed_findings where issue_id = $1 order by number`, [issueId]);
}

/**
 * Adds a finding and returns its id; over the limit, the oldest is removed (R-ACT-6). The database assigns the issue's
 * next number. A finding that says the same about the same places as a removed one gets that one's number back.
 */
export async function addFinding(
  db: Db,
  issueId: string,
  { synthesis, sources, commit }: { synthesis: string; sources: FindingSource[]; commit: string | null },
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<string> {
  const id = ids.next();
  await db.execute(
    `with again as (
       delete from removed_findings where issue_id = $2 and number = (
         select max(number) from removed_findings where issue_id = $2 and synthesis = $3 and sources = ${placesOf("$4::jsonb")}
       ) returning number, created_at
     )
     insert into findings (id, issue_id, number, synthesis, sources, commit, created_at)
     select $1, $2, (select number from again), $3, $4::jsonb, $5, coalesce((select created_at from again), $6)`,
    [id, issueId, synthesis, JSON.stringify(sources), commit, clock.now()],
  );
  const most = await db.query(idRow, `select id from findings where issue_id = $1 order by id desc offset $2`, [
    issueId,
    FINDINGS_PER_ISSUE,
  ]);
  for (const oldest of most) await removeFinding(db, issueId, oldest.id, "crowded_out", clock);
  return id;
}

/** Removes a finding of the issue; its number is not reused for others. False if there is none with this id. */
export async function removeFinding(
  db: Db,
  issueId: string,
  findingId: string,
  why: Removal,
  clock: Clock,
): Promise<boolean> {
  const removed = await db.query(
    idRow,
    `with gone as (delete from findings where issue_id = $1 and id = $2 returning *)
     insert into removed_findings (issue_id, number, id, synthesis, sources, commit, created_at, removed_at, why)
     select issue_id, number, id, synthesis,
            ${placesOf("sources")}, commit, created_at, $3, $4
     from gone returning id`,
    [issueId, findingId, clock.now(), why],
  );
  return removed.length > 0;
}
