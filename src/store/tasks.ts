import { z } from "zod";
import type { Task } from "../domain/plan.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Db } from "./db.ts";

const TASK_STATUSES = ["queued", "running", "stuck", "done", "failed", "cancelled"] as const;

const taskRow = z
  .object({
    id: z.string(),
    issue_id: z.string(),
    plan_id: z.string(),
    status: z.enum(TASK_STATUSES),
    confirmed_by: z.string(),
    enqueued_at: z.date(),
  })
  .transform((row): Task => ({
    id: row.id,
    issueId: row.issue_id,
    planId: row.plan_id,
    status: row.status,
    confirmedBy: row.confirmed_by,
    enqueuedAt: row.enqueued_at,
  }));

/** The one task of a plan; made once, however often it is asked for. */
export async function addTask(
  tx: Db,
  task: Pick<Task, "issueId" | "planId" | "confirmedBy">,
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<void> {
  await tx.execute(
    `insert into tasks (id, issue_id, plan_id, status, confirmed_by, enqueued_at, updated_at)
     values ($1, $2, $3, 'queued', $4, $5, $5) on conflict (plan_id) do nothing`,
    [ids.next(), task.issueId, task.planId, task.confirmedBy, clock.now()],
  );
}

/** The newest task of an issue; null before the first. */
export async function latestTask(db: Db, issueId: string): Promise<Task | null> {
  return await db.maybeOne(taskRow, `select * from tasks where issue_id = $1 order by id desc limit 1`, [issueId]);
}

/** Tasks that wait for a worker, those of the smallest issue numbers first (R-WORK-1). */
export async function listQueued(db: Db, limit: number): Promise<Task[]> {
  return await db.query(
    taskRow,
    `select t.* from tasks t join issues i on i.id = t.issue_id where t.status = 'queued'
     order by case when i.external_issue_id ~ '^[0-9]{1,18}$' then i.external_issue_id::bigint end nulls last, t.id
     limit $1`,
    [limit],
  );
}

/** Takes what nobody works on yet out of the queue; true where there was something. */
export async function cancelQueued(tx: Db, issueId: string, clock: Clock): Promise<boolean> {
  const sql = `update tasks set status = 'cancelled', updated_at = $2 where issue_id = $1 and status = 'queued'`;
  return (await tx.execute(sql, [issueId, clock.now()])) > 0;
}
