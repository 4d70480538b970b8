import { camelRow } from "./camel-row.ts";
import { z } from "zod";
import { MODES } from "../domain/issue.ts";
import type { Task } from "../domain/plan.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Db } from "./db.ts";

const TASK_STATUSES = ["queued", "running", "stuck", "done", "failed", "cancelled"] as const;

export const taskRow = camelRow({
  id: z.string(),
  issueId: z.string(),
  planId: z.string(),
  status: z.enum(TASK_STATUSES),
  approvedBy: z.string(),
  mode: z.enum(MODES),
  enqueuedAt: z.date(),
});

/** Whether a run is one of this issue. */
export async function isRunOf(db: Db, runId: string, issueId: string): Promise<boolean> {
  const found = await db.query(
    z.object({}),
    `select from runs join tasks t on t.id = runs.task_id where runs.id = $1 and t.issue_id = $2`,
    [runId, issueId],
  );
  return found.length > 0;
}

/** Creates the task of a plan, or queues it again if it was cancelled; null if it is open or done. */
export async function addTask(
  tx: Db,
  task: Pick<Task, "issueId" | "planId" | "approvedBy" | "mode">,
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<Task | null> {
  return await tx.maybeOne(
    taskRow,
    `insert into tasks (id, issue_id, plan_id, status, approved_by, mode, enqueued_at, updated_at)
     values ($1, $2, $3, 'queued', $4, $5, $6, $6)
     on conflict (plan_id) do update set status = 'queued', approved_by = excluded.approved_by, mode = excluded.mode,
       enqueued_at = excluded.enqueued_at, updated_at = excluded.updated_at
     where tasks.status = 'cancelled' returning *`,
    [ids.next(), task.issueId, task.planId, task.approvedBy, task.mode, clock.now()],
  );
}

/** The newest task of an issue; null before the first. */
export async function latestTask(db: Db, issueId: string): Promise<Task | null> {
  return await db.maybeOne(taskRow, `select * from tasks where issue_id = $1 order by id desc limit 1`, [issueId]);
}

export async function findTask(db: Db, id: string): Promise<Task | null> {
  return await db.maybeOne(taskRow, `select * from tasks where id = $1`, [id]);
}

/** Queued and running tasks that were approved to be carried out by Relay, oldest first. */
export async function listOpenTasks(db: Db): Promise<(Task & { issueNumber: number })[]> {
  const row = z
    .object({ number: z.string() })
    .and(taskRow)
    .transform(({ number, ...task }) => ({ ...task, issueNumber: rankOf(number) }));
  return await db.query(
    row,
    `select t.*, i.external_issue_id as number from tasks t
     join issues i on i.id = t.issue_id
     where t.status in ('queued', 'running') and t.mode = 'implement' order by t.id`,
    [],
  );
}

/** Whether Relay is carrying out another task, or may start another one first. */
export async function isBehindOthers(db: Db, { id }: Pick<Task, "id">): Promise<boolean> {
  const others = await db.query(
    z.object({}),
    `select from tasks where status in ('queued', 'running') and mode = 'implement' and id <> $1 limit 1`,
    [id],
  );
  return others.length > 0;
}

/** Whether the task is queued, running, or waiting for an answer. */
export function isOpen(task: Task | null): task is Task {
  return task !== null && (task.status === "queued" || task.status === "running" || task.status === "stuck");
}

/** Sort key of an issue: its number, if it has one. */
export function rankOf(externalIssueId: string): number {
  return /^\d{1,9}$/.test(externalIssueId) ? Number(externalIssueId) : 0;
}

/** Moves a task from one status to another; true for exactly one caller. */
export async function moveTask(
  tx: Db,
  id: string,
  from: Task["status"],
  to: Task["status"],
  clock: Clock,
): Promise<boolean> {
  const sql = `update tasks set status = $3, updated_at = $4 where id = $1 and status = $2`;
  return (await tx.execute(sql, [id, from, to, clock.now()])) === 1;
}

/** Whether a worker should continue with the task: it is not cancelled, and its issue is not paused. */
export async function isTaskActive(db: Db, id: string): Promise<boolean> {
  const found = await db.maybeOne(
    z.object({}),
    `select from tasks t join issues i on i.id = t.issue_id
     where t.id = $1 and t.status = 'running' and i.state = 'in_progress'`,
    [id],
  );
  return found !== null;
}

/**
 * Cancels the issue's open task (queued, running or stuck) and its run, and returns it. `done`: its purpose was
 * fulfilled in another way.
 */
export async function cancelOpenTask(
  tx: Db,
  issueId: string,
  clock: Clock,
  as: "cancelled" | "done" = "cancelled",
): Promise<Task | null> {
  await tx.execute(
    `update runs set status = 'cancelled', detail = 'the task was taken back', ended_at = $2
     where issue_id = $1 and status = 'running'`,
    [issueId, clock.now()],
  );
  return await tx.maybeOne(
    taskRow,
    `update tasks set status = $3, updated_at = $2
     where issue_id = $1 and status in ('queued', 'running', 'stuck') returning *`,
    [issueId, clock.now(), as],
  );
}
