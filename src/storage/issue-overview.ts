import { z } from "zod";
import { type Concern, concernSchema } from "../domain/concern.ts";
import type { Gap } from "../domain/gap.ts";
import type { PostedPlan, Task } from "../domain/plan.ts";
import type { Run, TaskRequest } from "../domain/work.ts";
import { type IssueUsage, USAGE, usageRow } from "./model-calls.ts";
import type { Db } from "./db.ts";
import { planRow } from "./plans.ts";
import { SPEC_COLUMNS, type SpecVersion, specVersionRow } from "./specs.ts";
import { gapRow } from "./gaps.ts";
import { RUN_COLUMNS, runRow } from "./runs.ts";
import { type BudgetStop, STOP_COLUMNS, stopRow } from "./spending.ts";
import { requestRow } from "./pull-requests.ts";
import { taskRow } from "./tasks.ts";

/** The newest entries of everything that belongs to an issue. */
export interface IssueOverview {
  gaps: Gap[];
  spec: SpecVersion | null;
  plan: PostedPlan | null;
  task: Task | null;
  /** The run of that task. */
  run: Run | null;
  request: TaskRequest | null;
  /** What a person should look at in that request (R-WORK-11). */
  concerns: Concern[];
  /** When it entered its state. */
  since: Date;
  /** The person who called Relay; null if unknown. */
  engagedBy: string | null;
  /** The person who gave the last go-ahead for a spec; null if nobody did, or it is unknown. */
  goAheadBy: string | null;
  /** Whether its tracker showed it as closed at the last check. */
  isClosed: boolean;
  /** Whether it was closed since people moved it to another project. */
  isMoved: boolean;
  /**
   * The keys of comments that ask people to act, or asked them (R-LIFE-9): red checks, a plan that could not be made.
   */
  calls: string[];
  /** Reason of the last pause. */
  pausedBecause: string | null;
  /** What Relay was last refused in its state and still is; null if nothing. */
  refused: string | null;
  /** Until when its tracker's limit delays its work; null if it does not. */
  limitedUntil: Date | null;
  /** The budget that stopped it. */
  stop: BudgetStop | null;
  usage: IssueUsage;
}

/** Why an issue closed that people moved to another project, in the audit log. */
export const MOVED = "moved";

/** Overviews of many issues, in a constant number of queries. */
export async function overviewsOf(db: Db, issueIds: readonly string[]): Promise<(issueId: string) => IssueOverview> {
  const gaps = await rowsBy(db, gapRow, `select *, issue_id as of from gaps where ${OF} order by number`, issueIds);
  const specs = await rowsBy(db, specVersionRow, newest(SPEC_COLUMNS, "specs", "version"), issueIds);
  const plans = await rowsBy(db, planRow, newest("*", "plans", "version"), issueIds);
  const stops = await rowsBy(
    db,
    stopRow,
    `select distinct on (issue_id) ${STOP_COLUMNS}, issue_id as of from budget_stops
     where ${OF} and ended_at is null order by issue_id, id desc`,
    issueIds,
  );
  const pauses = await rowsBy(
    db,
    z.object({ why: z.string().nullable() }),
    `select distinct on (issue_id) why, issue_id as of from audit_log
     where ${OF} and what = 'state.changed' and after = '"paused"' order by issue_id, id desc`,
    issueIds,
  );
  const changes = await rowsBy(
    db,
    z.object({ at: z.date(), why: z.string().nullable() }),
    `select distinct on (issue_id) at, why, issue_id as of from audit_log
     where ${OF} and what in ('state.changed', 'issue.engaged') order by issue_id, id desc`,
    issueIds,
  );
  const accesses = await rowsBy(
    db,
    z.object({ what: z.string(), why: z.string().nullable() }),
    `select distinct on (issue_id) what, why, issue_id as of from audit_log
     where ${OF} and what in ('access.missing', 'access.given', 'state.changed', 'issue.engaged')
     order by issue_id, id desc`,
    issueIds,
  );
  const limits = await rowsBy(
    db,
    z.object({ until: z.date() }),
    `select until, issue_id as of from limit_waits where ${OF} and until > now()`,
    issueIds,
  );
  const actors = z.object({ actor: z.string() });
  const engaged = await rowsBy(
    db,
    actors,
    `select distinct on (issue_id) actor, issue_id as of from audit_log
     where ${OF} and what = 'issue.engaged' and actor <> 'relay' order by issue_id, id desc`,
    issueIds,
  );
  const goAheads = await rowsBy(
    db,
    actors,
    `select distinct on (issue_id) actor, issue_id as of from audit_log
     where ${OF} and what = 'state.changed' and after = '"specifying"' and actor <> 'relay' order by issue_id, id desc`,
    issueIds,
  );
  const seen = await rowsBy(
    db,
    z.object({ closed: z.boolean() }),
    `select issue_state = 'closed' as closed, issue_id as of from thread_fetches where ${OF}`,
    issueIds,
  );
  const calls = await rowsBy(
    db,
    z.object({ key: z.string() }),
    `select key, issue_id as of from posts
     where ${OF} and comment_id is not null and (key like 'red:%' or key like 'left-red:%' or key like 'left-stuck:%' or key like 'plan-failed:%') order by key`,
    issueIds,
  );
  const usages = await rowsBy(
    db,
    usageRow,
    `select ${USAGE}, asked.id as of from unnest($1::bigint[]) asked(id)
     left join llm_evals on issue_id = asked.id group by asked.id`,
    issueIds,
  );
  const tasks = await rowsBy(db, taskRow, newest("*", "tasks", "id"), issueIds);
  const taskIds = [...tasks.values()].flatMap(([task]) => task?.id ?? []);
  const runs = await rowsBy(
    db,
    runRow,
    `select distinct on (task_id) ${RUN_COLUMNS}, task_id as of from runs
     where task_id = any($1::bigint[]) order by task_id, id desc`,
    taskIds,
  );
  const requests = await rowsBy(
    db,
    requestRow,
    `select *, task_id as of from task_requests where task_id = any($1::bigint[])`,
    taskIds,
  );
  const looks = await rowsBy(
    db,
    z.object({ concerns: z.array(concernSchema) }),
    `select distinct on (task_id) coalesce(facts #> '{iterations,-1,concerns,all}', '[]') as concerns, task_id as of
     from runs where task_id = any($1::bigint[]) and status = 'done' order by task_id, id desc`,
    taskIds,
  );
  return (id) => {
    const task = tasks.get(id)?.[0] ?? null;
    const access = accesses.get(id)?.[0];
    return {
      gaps: gaps.get(id) ?? [],
      spec: specs.get(id)?.[0] ?? null,
      plan: plans.get(id)?.[0] ?? null,
      task,
      run: (task && runs.get(task.id)?.[0]) ?? null,
      request: (task && requests.get(task.id)?.[0]) ?? null,
      concerns: (task && looks.get(task.id)?.[0]?.concerns) ?? [],
      since: changes.get(id)?.[0]?.at ?? new Date(0),
      engagedBy: engaged.get(id)?.[0]?.actor ?? null,
      goAheadBy: goAheads.get(id)?.[0]?.actor ?? null,
      isClosed: seen.get(id)?.[0]?.closed ?? false,
      isMoved: changes.get(id)?.[0]?.why === MOVED,
      calls: (calls.get(id) ?? []).map(({ key }) => key),
      pausedBecause: pauses.get(id)?.[0]?.why ?? null,
      refused: access?.what === "access.missing" ? access.why : null,
      limitedUntil: limits.get(id)?.[0]?.until ?? null,
      stop: stops.get(id)?.[0] ?? null,
      usage: usages.get(id)?.[0] ?? NOTHING_USED,
    };
  };
}

const OF = "issue_id = any($1::bigint[])";
const NOTHING_USED: IssueUsage = {
  costUsd: 0,
  calls: 0,
  agentRuns: 0,
  unpricedCalls: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
};

function newest(columns: string, table: string, by: string): string {
  return `select distinct on (issue_id) ${columns}, issue_id as of from ${table} where ${OF} order by issue_id, ${by} desc`;
}

/** The rows of a query, grouped by their `of` column. */
async function rowsBy<T>(
  db: Db,
  row: z.ZodType<T>,
  sql: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, T[]>> {
  const keyed = z
    .looseObject({ of: z.string() })
    .transform((value): { of: string; row: unknown } => ({ of: value.of, row: value }))
    .pipe(z.object({ of: z.string(), row }));
  const found = new Map<string, T[]>();
  for (const { of, row: one } of await db.query(keyed, sql, [ids])) {
    const others = found.get(of);
    if (others) others.push(one);
    else found.set(of, [one]);
  }
  return found;
}
