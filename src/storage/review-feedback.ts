import { camelRow } from "./camel-row.ts";
import { z } from "zod";
import type { Feedback, StoredFeedback } from "../domain/work.ts";
import type { Db } from "./db.ts";

const wordRow = camelRow({
  externalId: z.string(),
  externalThreadId: z.string().nullable(),
  author: z.string(),
  content: z.string(),
  path: z.string().nullable(),
  line: z.number().nullable(),
  createdAt: z.date(),
  runId: z.string().nullable(),
  answered: z.boolean(),
});

/**
 * Claims comments on a task's pull request, each version once (R-WORK-9): returns only the newly claimed ones, oldest
 * first. `runId` is the run that will act on them; null if they ask for nothing.
 */
export async function recordFeedback(
  tx: Db,
  taskId: string,
  words: readonly Feedback[],
  runId: string | null,
): Promise<StoredFeedback[]> {
  const taken = await tx.query(
    wordRow,
    `insert into change_requests (task_id, external_id, external_thread_id, author, content, path, line, created_at, run_id)
     select distinct on (w."externalId") $1::bigint, w."externalId", w."externalThreadId", w.author, w.content, w.path,
            w.line, w."createdAt", $3::bigint
     from jsonb_to_recordset($2) as w ("externalId" text, "externalThreadId" text, author text, content text, path text,
          line int, "createdAt" timestamptz)
     on conflict (task_id, external_id) do update set content = excluded.content, run_id = excluded.run_id, answered = false
       where change_requests.content <> excluded.content
     returning *`,
    [taskId, JSON.stringify(words), runId],
  );
  return taken.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
}

/** All claimed comments on a task's pull request, oldest first. */
export async function listFeedback(db: Db, taskId: string): Promise<StoredFeedback[]> {
  const sql = `select * from change_requests where task_id = $1 order by created_at, external_id`;
  return await db.query(wordRow, sql, [taskId]);
}

/** All claimed comments on a task's pull request: their text at that time, by id. */
export async function feedbackContents(db: Db, taskId: string): Promise<Map<string, string>> {
  const row = z.object({ external_id: z.string(), content: z.string() });
  const rows = await db.query(row, `select external_id, content from change_requests where task_id = $1`, [taskId]);
  return new Map(rows.map((each) => [each.external_id, each.content]));
}

export async function markFeedbackAnswered(tx: Db, taskId: string, externalIds: readonly string[]): Promise<void> {
  await tx.execute(`update change_requests set answered = true where task_id = $1 and external_id = any ($2)`, [
    taskId,
    externalIds,
  ]);
}

/** Claimed comments of runs that still await their answer, oldest first. */
export async function listOpenFeedback(db: Db, taskId: string): Promise<StoredFeedback[]> {
  return await db.query(
    wordRow,
    `select * from change_requests where task_id = $1 and run_id is not null and not answered
     order by created_at, external_id`,
    [taskId],
  );
}
