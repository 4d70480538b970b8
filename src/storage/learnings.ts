import { camelRow } from "./camel-row.ts";
import { z } from "zod";
import { LEARNING_TYPES, type Learning, type LearningType } from "../domain/learning.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Db } from "./db.ts";

const learningRow = camelRow({
  id: z.string(),
  workspaceId: z.string(),
  type: z.enum(LEARNING_TYPES),
  content: z.string(),
  createdAt: z.date(),
});

export async function listLearnings(db: Db, workspaceId: string): Promise<Learning[]> {
  return await db.query(learningRow, `select * from learnings where workspace_id = $1 order by id`, [workspaceId]);
}

/**
 * Adds a learning unless it is known; true if added. Case, whitespace and punctuation do not distinguish learnings
 * (R-PLAN-9).
 */
export async function addLearning(
  db: Db,
  learning: { workspaceId: string; type: LearningType; content: string; issueId: string },
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<boolean> {
  const key = learning.content
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  const added = await db.execute(
    `insert into learnings (id, workspace_id, type, content, content_key, source_issue_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (workspace_id, type, content_key) do nothing`,
    [ids.next(), learning.workspaceId, learning.type, learning.content.trim(), key, learning.issueId, clock.now()],
  );
  return added > 0;
}
