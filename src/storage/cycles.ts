import { camelRow } from "./camel-row.ts";
import { actionSchema, type ActionBatch } from "../domain/action.ts";
import { z } from "zod";
import type { Cycle, StoredAction } from "../domain/cycle.ts";
import { keptCode } from "../domain/text/clean-text.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Db } from "./db.ts";

const cycleRow = camelRow({
  id: z.string(),
  issueId: z.string(),
  number: z.number(),
  planner: z.string(),
  reasoning: z.string(),
  status: z.enum(["running", "done", "failed"]),
  startedAt: z.date(),
  endedAt: z.date().nullable(),
});

const actionRow = camelRow({
  id: z.string(),
  cycleId: z.string(),
  issueId: z.string(),
  round: z.number(),
  position: z.number(),
  action: actionSchema,
  idempotencyKey: z.string(),
  status: z.enum(["pending", "done", "failed"]),
  attempts: z.number(),
  outcome: z.unknown(),
  error: z.string().nullable(),
}).transform((row) => ({ ...row, outcome: row.outcome ?? null }));

/** The unfinished cycle of an issue, if a crash left one. */
export async function findRunningCycle(db: Db, issueId: string): Promise<Cycle | null> {
  return await db.maybeOne(
    cycleRow,
    `select * from cycles where issue_id = $1 and status = 'running' order by number desc limit 1`,
    [issueId],
  );
}

export async function listCycles(db: Db, issueId: string): Promise<Cycle[]> {
  return await db.query(cycleRow, `select * from cycles where issue_id = $1 order by number`, [issueId]);
}

/** Begins a cycle. Add its actions with `addActions` in the same transaction, before any is tried (R-ACT-5). */
export async function beginCycle(
  db: Db,
  issueId: string,
  { planner, reasoning }: { planner: string; reasoning: string },
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<Cycle> {
  return await db.one(
    cycleRow,
    `insert into cycles (id, issue_id, number, planner, reasoning, status, started_at)
     select $1, $2, greatest(max(number), (
       -- after a restore, the thread may show comments of later cycles, whose keys are taken
       select max(substring(content from '<!-- relay:action:' || $2::bigint || '\\.(\\d{1,9})\\.')::int) from messages
       where issue_id = $2 and role = 'self'
     ), 0) + 1, $3, $4, 'running', $5 from cycles where issue_id = $2
     returning *`,
    [ids.next(), issueId, planner, keptCode(reasoning), clock.now()],
  );
}

/** The failures of the issue's last finished cycle (R-ACT-4). */
export async function lastFailures(db: Db, issueId: string): Promise<string[]> {
  const rows = await db.query(
    z.object({ error: z.string() }),
    `select a.error from actions a
     where a.status = 'failed' and a.error is not null
       and a.cycle_id = (select id from cycles where issue_id = $1 and status <> 'running' order by number desc limit 1)
     order by a.round, a.position`,
    [issueId],
  );
  return rows.map((row) => row.error);
}

/** Ends a running cycle; true for exactly one caller. */
export async function endCycle(db: Db, cycleId: string, status: "done" | "failed", clock: Clock): Promise<boolean> {
  const count = await db.execute(`update cycles set status = $2, ended_at = $3 where id = $1 and status = 'running'`, [
    cycleId,
    status,
    clock.now(),
  ]);
  return count === 1;
}

/** Stores a round of actions with their keys. */
export async function addActions(
  db: Db,
  cycle: Cycle,
  round: number,
  batch: ActionBatch,
  keyOf: (position: number) => string,
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<StoredAction[]> {
  for (const [position, action] of batch.actions.entries()) {
    await db.execute(
      `insert into actions (id, cycle_id, issue_id, round, position, action, idempotency_key, status, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, 'pending', $8)`,
      [ids.next(), cycle.id, cycle.issueId, round, position, JSON.stringify(action), keyOf(position), clock.now()],
    );
  }
  return (await listActions(db, cycle.id)).filter((action) => action.round === round);
}

export async function listActions(db: Db, cycleId: string): Promise<StoredAction[]> {
  return await db.query(actionRow, `select * from actions where cycle_id = $1 order by round, position`, [cycleId]);
}

/** The signal to proceed that led to the newest spec of the issue; null without one. */
export async function lastProceedSignal(db: Db, issueId: string): Promise<string | null> {
  const row = await db.maybeOne(
    z.object({ signal: z.string() }),
    `select a.action -> 'data' ->> 'proceed_signal' as signal from actions a join cycles c on c.id = a.cycle_id
     where a.issue_id = $1 and a.status = 'done' and a.action ->> 'type' = 'ready_for_spec_generation'
     order by c.number desc, a.round desc, a.position desc limit 1`,
    [issueId],
  );
  return row?.signal ?? null;
}

/** Whether an action is done or has failed; locks it until the transaction ends. */
export async function isSettled(tx: Db, actionId: string): Promise<boolean> {
  const row = await tx.one(
    z.object({ settled: z.boolean() }),
    `select status <> 'pending' as settled from actions where id = $1 for update`,
    [actionId],
  );
  return row.settled;
}

/** Counts an attempt before it is made. */
export async function countAttempt(db: Db, actionId: string, clock: Clock): Promise<void> {
  await db.execute(`update actions set attempts = attempts + 1, updated_at = $2 where id = $1`, [
    actionId,
    clock.now(),
  ]);
}

export async function finishAction(
  db: Db,
  actionId: string,
  result: { status: "done"; outcome: unknown } | { status: "failed"; error: string },
  clock: Clock,
): Promise<void> {
  await db.execute(`update actions set status = $2, outcome = $3, error = $4, updated_at = $5 where id = $1`, [
    actionId,
    result.status,
    result.status === "done" ? JSON.stringify(result.outcome ?? null) : null,
    result.status === "failed" ? result.error : null,
    clock.now(),
  ]);
}
