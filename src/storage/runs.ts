import { camelRow } from "./camel-row.ts";
import { z } from "zod";
import {
  type IterationFacts,
  type Run,
  type RunFacts,
  type ChangeRequest,
  RUN_REASONS,
  RUN_STATUSES,
  runFactsSchema,
} from "../domain/work.ts";
import { type Outage, outageSchema } from "../domain/outage.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Db } from "./db.ts";

export const runRow = camelRow({
  id: z.string(),
  taskId: z.string(),
  issueId: z.string(),
  reason: z.enum(RUN_REASONS),
  status: z.enum(RUN_STATUSES),
  agent: z.string(),
  branch: z.string(),
  base: z.string().nullable(),
  head: z.string().nullable(),
  iterations: z.number(),
  usd: z.coerce.number(),
  detail: z.string().nullable(),
  outage: outageSchema.nullable(),
  startedAt: z.date(),
  endedAt: z.date().nullable(),
});

/** All columns except `facts`, which can be long. */
export const RUN_COLUMNS = `id, task_id, issue_id, reason, status, agent, branch, base, head, iterations, usd, detail, outage,
                 started_at, ended_at`;

/**
 * Begins a run of a task; throws `conflict` if one is running already, see `runningRun`. `head` is the last commit of
 * an earlier run on the same branch; `baseline` is the state before any change (iteration 0), by default that of an
 * earlier run of the task.
 */
export async function addRun(
  tx: Db,
  run: Pick<Run, "taskId" | "issueId" | "reason" | "agent" | "branch" | "base" | "head"> & {
    changeRequests: readonly ChangeRequest[];
    baseline?: IterationFacts | null;
  },
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<Run> {
  return await tx.one(
    runRow,
    `insert into runs (id, task_id, issue_id, reason, status, agent, branch, base, head, facts, started_at)
     values ($1, $2, $3, $4, 'running', $5, $6, $7, $8,
             jsonb_build_object('wishes', $9::jsonb, 'iterations', coalesce($11::jsonb, (
               select jsonb_build_array(facts #> '{iterations,0}') from runs
               where task_id = $2 and facts #> '{iterations,0,number}' = '0' order by id desc limit 1
             ), '[]')), $10)
     returning ${RUN_COLUMNS}`,
    [
      ids.next(),
      run.taskId,
      run.issueId,
      run.reason,
      run.agent,
      run.branch,
      run.base,
      run.head,
      JSON.stringify(run.changeRequests),
      clock.now(),
      run.baseline ? JSON.stringify([run.baseline]) : null,
    ],
  );
}

/** The task's run that is in progress or was interrupted by a crash (R-WORK-8); null without one. */
export async function runningRun(db: Db, taskId: string): Promise<Run | null> {
  return await db.maybeOne(runRow, `select ${RUN_COLUMNS} from runs where task_id = $1 and status = 'running'`, [
    taskId,
  ]);
}

/** Relay's newest commit on a branch with a request; null if there is none. */
export async function newestHead(db: Db, externalProjectId: string, branch: string): Promise<string | null> {
  const row = await db.maybeOne(
    z.object({ head: z.string() }),
    `select r.head from runs r join task_requests t on t.task_id = r.task_id
     where t.external_project_id = $1 and t.branch = $2 and r.head is not null order by r.id desc limit 1`,
    [externalProjectId, branch],
  );
  return row?.head ?? null;
}

/** What a run was asked for and its progress, from which a run resumes after a crash. */
export async function runFacts(db: Db, runId: string): Promise<RunFacts> {
  const row = await db.one(z.object({ facts: runFactsSchema }), `select facts from runs where id = $1`, [runId]);
  return row.facts;
}

/**
 * Stores the result of an iteration, and the run's new head if it made a commit; an iteration that no outage
 * interrupted ends the run's outage. Each number is stored once, in order; false if the run has ended or another
 * process has taken it over.
 */
export async function recordIteration(db: Db, runId: string, facts: IterationFacts): Promise<boolean> {
  const count = await db.execute(
    `update runs
     set facts = jsonb_set(facts, '{iterations}', coalesce(facts -> 'iterations', '[]') || $2::jsonb),
         iterations = $3, usd = usd + $4, head = coalesce($5, head), outage = case when $6 then outage end
     where id = $1 and status = 'running' and jsonb_array_length(coalesce(facts -> 'iterations', '[]')) = $3`,
    [runId, JSON.stringify([facts]), facts.number, facts.usd, facts.commit, facts.agent?.interrupted === true],
  );
  return count === 1;
}

/** Stores the outage that a run waits for; false if the run has ended. */
export async function setOutage(db: Db, runId: string, outage: Outage): Promise<boolean> {
  const sql = `update runs set outage = $2 where id = $1 and status = 'running'`;
  return (await db.execute(sql, [runId, JSON.stringify(outage)])) === 1;
}

/** Adds US dollars to a run's cost outside its iterations. */
export async function addCost(db: Db, runId: string, usd: number): Promise<void> {
  await db.execute(`update runs set usd = usd + $2 where id = $1`, [runId, usd]);
}

/**
 * Stores the results of a clean checkout after the run's last iteration, and what a person should look at in the change
 * (R-WORK-10, R-WORK-11); storing them again changes nothing. False if the run has ended or is at another iteration.
 */
export async function recordProof(
  db: Db,
  runId: string,
  {
    number,
    checks,
    proof,
    seconds,
    concerns,
  }: Pick<IterationFacts, "number" | "checks" | "proof" | "seconds" | "concerns">,
): Promise<boolean> {
  const count = await db.execute(
    `update runs
     set facts = jsonb_set(facts, '{iterations,-1}', (facts #> '{iterations,-1}') || $2::jsonb), outage = null
     where id = $1 and status = 'running' and (facts #>> '{iterations,-1,number}')::int = $3`,
    [runId, JSON.stringify({ checks, proof, seconds, concerns }), number],
  );
  return count === 1;
}

/** Sets the commit that the run's branch starts from; with null, the next attempt sets it. */
export async function setRunBase(db: Db, runId: string, base: string | null): Promise<void> {
  await db.execute(`update runs set base = $2 where id = $1`, [runId, base]);
}

/**
 * Restarts a run whose commits were lost. Keeps its log, its cost and the state before any change.
 */
export async function resetIterations(db: Db, runId: string): Promise<void> {
  await db.execute(
    `update runs
     set facts = jsonb_set(facts, '{iterations}', coalesce(
           jsonb_path_query_array(facts -> 'iterations', '$[*] ? (@.number == 0)'), '[]')),
         iterations = 0, head = null
     where id = $1`,
    [runId],
  );
}

/** Sets the newest commit of a run; false if the run has ended. */
export async function moveHead(db: Db, runId: string, head: string): Promise<boolean> {
  return (await db.execute(`update runs set head = $2 where id = $1 and status = 'running'`, [runId, head])) === 1;
}

/** Ends a run; true for exactly one caller. */
export async function finishRun(
  tx: Db,
  runId: string,
  end: { status: Exclude<Run["status"], "running">; detail: string | null },
  clock: Clock,
): Promise<boolean> {
  const count = await tx.execute(
    `update runs set status = $2, detail = $3, ended_at = $4 where id = $1 and status = 'running'`,
    [runId, end.status, end.detail, clock.now()],
  );
  return count === 1;
}

/** Changes the detail of a failed run, for example when people have resolved its conflict. */
export async function setRunDetail(db: Db, runId: string, detail: string): Promise<void> {
  await db.execute(`update runs set detail = $2 where id = $1 and status = 'failed'`, [runId, detail]);
}

/** The runs of an issue, oldest first. */
export async function listRuns(db: Db, issueId: string): Promise<Run[]> {
  return await db.query(runRow, `select ${RUN_COLUMNS} from runs where issue_id = $1 order by id`, [issueId]);
}

/** The newest run of a task; null before the first. */
export async function latestRun(db: Db, taskId: string): Promise<Run | null> {
  return await db.maybeOne(runRow, `select ${RUN_COLUMNS} from runs where task_id = $1 order by id desc limit 1`, [
    taskId,
  ]);
}

/** Ids of all running runs, whose workspaces must not be cleaned up. */
export async function listRunning(db: Db): Promise<string[]> {
  const rows = await db.query(z.object({ id: z.string() }), `select id from runs where status = 'running'`, []);
  return rows.map(({ id }) => id);
}

/**
 * Those of the given runs that will not be resumed: all but running ones and those whose task waits for an answer or
 * has just got it.
 */
export async function listEndedRuns(db: Db, runIds: readonly string[]): Promise<string[]> {
  const rows = await db.query(
    z.object({ id: z.string() }),
    `select r.id from runs r join tasks t on t.id = r.task_id
     where r.id = any ($1) and r.status <> 'running'
       and (r.status <> 'stuck' or t.status not in ('stuck', 'queued', 'running'))`,
    [runIds.filter((id) => /^\d{1,18}$/.test(id))],
  );
  return rows.map(({ id }) => id);
}

/** The repositories in which a task began, ended or was cancelled in the last days, by the database's clock. */
export async function listRepositoriesWorkedIn(db: Db, days: number): Promise<string[]> {
  const rows = await db.query(
    z.object({ id: z.string() }),
    `select distinct (select s.repository_id from issues s where s.id = t.issue_id) as id from tasks t
     where t.updated_at > now() - $1 * interval '1 day'`,
    [days],
  );
  return rows.map(({ id }) => id);
}
