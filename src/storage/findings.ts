import { camelRow } from "./camel-row.ts";
import { findingSourceSchema, type Finding, type FindingSource, FINDINGS_PER_ISSUE } from "../domain/finding.ts";
import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Db } from "./db.ts";

const findingRow = camelRow({
  id: z.string(),
  issueId: z.string(),
  synthesis: z.string(),
  sources: z.array(findingSourceSchema),
  commit: z.string().nullable(),
  createdAt: z.date(),
});

const idRow = z.object({ id: z.string() });

/** Oldest first. */
export async function listFindings(db: Db, issueId: string): Promise<Finding[]> {
  return await db.query(findingRow, `select * from findings where issue_id = $1 order by id`, [issueId]);
}

/** Adds a finding and returns its id; over the limit, the oldest is removed (R-ACT-6). */
export async function addFinding(
  db: Db,
  issueId: string,
  finding: { synthesis: string; sources: FindingSource[]; commit: string | null },
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<string> {
  const id = ids.next();
  await db.execute(
    `insert into findings (id, issue_id, synthesis, sources, commit, created_at) values ($1, $2, $3, $4, $5, $6)`,
    [id, issueId, finding.synthesis, JSON.stringify(finding.sources), finding.commit, clock.now()],
  );
  await db.execute(
    `delete from findings where id in (select id from findings where issue_id = $1 order by id desc offset $2)`,
    [issueId, FINDINGS_PER_ISSUE],
  );
  return id;
}

/** Removes a finding of the issue; false if there is none with this id. */
export async function removeFinding(db: Db, issueId: string, findingId: string): Promise<boolean> {
  const removed = await db.query(idRow, `delete from findings where issue_id = $1 and id = $2 returning id`, [
    issueId,
    findingId,
  ]);
  return removed.length > 0;
}
