import { camelRow } from "./camel-row.ts";
import { z } from "zod";
import type { TaskRequest } from "../domain/work.ts";
import type { Clock } from "../lib/clock.ts";
import type { Db } from "./db.ts";

export const requestRow = camelRow({
  taskId: z.string(),
  number: z.number(),
  branch: z.string(),
  base: z.string(),
  url: z.string().nullable(),
  state: z.enum(["open", "merged", "closed"]),
  branchGone: z.boolean(),
});

/** Adds the pull request of a task (R-WORK-7). A task has only one; the first one stored stays. */
export async function addRequest(
  tx: Db,
  request: Omit<TaskRequest, "state" | "branchGone"> & { issueId: string; externalProjectId: string },
  clock: Clock,
): Promise<TaskRequest> {
  const { taskId, issueId, externalProjectId, number, branch, base, url } = request;
  return await tx.one(
    requestRow,
    `insert into task_requests (task_id, issue_id, external_project_id, number, branch, base, url, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (task_id) do update set updated_at = task_requests.updated_at
     returning *`,
    [taskId, issueId, externalProjectId, number, branch, base, url, clock.now()],
  );
}

/** The numbers of all pull requests of an issue. */
export async function listRequestNumbers(db: Db, issueId: string): Promise<number[]> {
  const rows = await db.query(
    z.object({ number: z.number() }),
    `select number from task_requests where issue_id = $1`,
    [issueId],
  );
  return rows.map(({ number }) => number);
}

/** The pull request of a task; null before it exists. */
export async function findRequest(db: Db, taskId: string): Promise<TaskRequest | null> {
  return await db.maybeOne(requestRow, `select * from task_requests where task_id = $1`, [taskId]);
}

/** The pull request of that number in a project, with its issue; null if it is not Relay's. */
export async function findRequestByNumber(
  db: Db,
  externalProjectId: string,
  number: number,
): Promise<{ request: TaskRequest; issueId: string } | null> {
  const issue = z.object({ issue_id: z.string() });
  const sql = `select * from task_requests where external_project_id = $1 and number = $2`;
  const row = await db.maybeOne(z.intersection(issue, z.unknown()), sql, [externalProjectId, number]);
  return row === null ? null : { request: requestRow.parse(row), issueId: row.issue_id };
}

/** The open pull request of that branch in a project, for events without a number. */
export async function findRequestByBranch(
  db: Db,
  externalProjectId: string,
  branch: string,
): Promise<{ request: TaskRequest; issueId: string } | null> {
  const issue = z.object({ issue_id: z.string() });
  const sql = `select * from task_requests where external_project_id = $1 and branch = $2 and state = 'open' limit 1`;
  const row = await db.maybeOne(z.intersection(issue, z.unknown()), sql, [externalProjectId, branch]);
  return row === null ? null : { request: requestRow.parse(row), issueId: row.issue_id };
}

/** Records a check of the request: the request's own time of change then, and whether a check was still running. */
export async function markLooked(
  db: Db,
  taskId: string,
  { seenAt, checksRun }: { seenAt: Date | null; checksRun: boolean },
): Promise<void> {
  await db.execute(`update task_requests set looked_at = now(), seen_at = $2, checks_run = $3 where task_id = $1`, [
    taskId,
    seenAt,
    checksRun,
  ]);
}

/**
 * The issues of a repository whose pull request in review must be checked (R-WORK-9): the tracker's list shows a
 * change, or the last check was an hour ago. If the request has not changed for a day, it is six hours, unless a check
 * was still running; after a week, it is a day. Lists show neither checks nor conflicts. Also those that closed with a
 * request that the list shows open again.
 */
export async function listReviewsToLookAt(
  db: Db,
  repositoryId: string,
  changed: readonly { number: number; updatedAt: Date; state?: "open" | "closed" }[],
): Promise<string[]> {
  const rows = await db.query(
    z.object({ id: z.string() }),
    `select s.id from issues s
     left join lateral (
       select * from task_requests own where own.issue_id = s.id order by own.task_id desc limit 1
     ) q on true
     where s.repository_id = $1 and s.state = 'in_review' and (
       q.looked_at is null
       or exists (
         select from jsonb_to_recordset($2) as c (number int, "updatedAt" timestamptz)
         where c.number = q.number and c."updatedAt" is distinct from q.seen_at)
       or q.looked_at < now() - case
         when q.seen_at is null then interval '50 minutes'
         when greatest(q.seen_at, q.updated_at) > now() - interval '1 day' then interval '50 minutes'
         when greatest(q.seen_at, q.updated_at) < now() - interval '7 days' then interval '23 hours 30 minutes'
         when q.checks_run then interval '50 minutes'
         else interval '5 hours 50 minutes' end)
     -- Apart: together they would read all closed issues.
     union select s.id from jsonb_to_recordset($2) as c (number int, state text)
     join repositories r on r.id = $1
     join task_requests q on q.external_project_id = r.external_project_id and q.number = c.number
     join issues s on s.id = q.issue_id
     where c.state = 'open' and q.state = 'closed' and s.state = 'closed' and s.repository_id = $1
       and not exists (select from task_requests later where later.issue_id = s.id and later.task_id > q.task_id)
     order by id`,
    [repositoryId, JSON.stringify(changed.map(({ number, updatedAt, state }) => ({ number, updatedAt, state })))],
  );
  return rows.map(({ id }) => id);
}

/** Stores the pull request's state; true if it was different before. */
export async function setRequestState(
  tx: Db,
  taskId: string,
  state: TaskRequest["state"],
  clock: Clock,
  branchGone = false,
): Promise<boolean> {
  const sql = `update task_requests set state = $2, branch_gone = $4, updated_at = $3
    where task_id = $1 and state <> $2`;
  return (await tx.execute(sql, [taskId, state, clock.now(), branchGone])) === 1;
}

/** How often failed checks of a pull request were sent back to the agent. */
export async function redChecksOf(db: Db, taskId: string): Promise<number> {
  const row = z.object({ red_checks: z.number() });
  return (await db.one(row, `select red_checks from task_requests where task_id = $1`, [taskId])).red_checks;
}

/** Counts failed checks sent back to the agent; false, without counting, once `most` is reached (R-WORK-9). */
export async function countRedChecks(tx: Db, taskId: string, most: number, clock: Clock): Promise<boolean> {
  const count = await tx.execute(
    `update task_requests set red_checks = red_checks + 1, updated_at = $3 where task_id = $1 and red_checks < $2`,
    [taskId, most, clock.now()],
  );
  return count === 1;
}
