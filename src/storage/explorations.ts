import { EXPLORATIONS_PER_ISSUE, type Exploration, explorationSchema } from "../domain/exploration.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { camelRow } from "./camel-row.ts";
import type { Db } from "./db.ts";

const explorationRow = camelRow(explorationSchema.shape);

/** Oldest first. */
export async function listExplorations(db: Db, issueId: string): Promise<Exploration[]> {
  return await db.query(explorationRow, `select * from explorations where issue_id = $1 order by id`, [issueId]);
}

/** Adds an exploration; over the limit, the oldest is removed. */
export async function addExploration(
  db: Db,
  { issueId, askedBy, question, thoroughness, synthesis, places, commit }: Omit<Exploration, "id" | "createdAt">,
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<void> {
  const values = [issueId, askedBy, question, thoroughness, synthesis, JSON.stringify(places), commit];
  await db.execute(
    `insert into explorations (issue_id, asked_by, question, thoroughness, synthesis, places, commit, id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [...values, ids.next(), clock.now()],
  );
  await db.execute(
    `delete from explorations where id in (select id from explorations where issue_id = $1 order by id desc offset $2)`,
    [issueId, EXPLORATIONS_PER_ISSUE],
  );
}
