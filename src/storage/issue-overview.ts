import { z } from "zod";
import type { Gap } from "../domain/gap.ts";
import type { PostedPlan, Task } from "../domain/plan.ts";
import type { Run, TaskRequest } from "../domain/work.ts";
import { type IssueUsage, USAGE, usageRow } from "./model-calls.ts";
import type { Db } from "./db.ts";
import { planRow } from "./plans.ts";
import { type SpecVersion, specVersionRow } from "./specs.ts";
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
  /** Of that task. */
  run: Run | null;
  request: TaskRequest | null;
  /** Reason of the last pause. */
  pausedBecause: string | null;
  /** The budget that stopped it. */
  stop: BudgetStop | null;
  usage: IssueUsage;
}

/** Overviews of many issues, in a constant number of queries. */
export async function overviewsOf(db: Db, issueIds: readonly string[]): Promise<(issueId: string) => IssueOverview> {
  const gaps = await rowsBy(db, gapRow, `select *, issue_id as of from gaps where ${OF} order by number`, issueIds);
  const specs = await rowsBy(db, specVersionRow, newest("*", "specs", "version"), issueIds);
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
  return (id) => {
    const task = tasks.get(id)?.[0] ?? null;
    return {
      gaps: gaps.get(id) ?? [],
      spec: specs.get(id)?.[0] ?? null,
      plan: plans.get(id)?.[0] ?? null,
      task,
      run: (task && runs.get(task.id)?.[0]) ?? null,
      request: (task && requests.get(task.id)?.[0]) ?? null,
      pausedBecause: pauses.get(id)?.[0]?.why ?? null,
      stop: stops.get(id)?.[0] ?? null,
      usage: usages.get(id)?.[0] ?? NOTHING_USED,
    };
  };
}

const OF = "issue_id = any($1::bigint[])";
const NOTHING_USED: IssueUsage = {
  costUsd: 0,
  calls: 0,
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
