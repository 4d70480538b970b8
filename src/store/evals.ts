import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Db } from "./db.ts";

export interface Eval {
  issueId: string;
  cycleId: string | null;
  stage: "planner" | "spec_generator";
  model: string;
  input: unknown;
  output: unknown;
  latencyMs: number;
}

/** Keeps what went into and came out of a planner or writer (R-OBS-1). */
export async function addEval(db: Db, entry: Eval, { clock, ids }: { clock: Clock; ids: Ids }): Promise<void> {
  await db.execute(
    `insert into llm_evals (id, issue_id, cycle_id, stage, model, input, output, latency_ms, cost_usd, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9)`,
    [
      ids.next(),
      entry.issueId,
      entry.cycleId,
      entry.stage,
      entry.model,
      JSON.stringify(entry.input),
      JSON.stringify(entry.output),
      Math.round(entry.latencyMs),
      clock.now(),
    ],
  );
}

/** US dollars spent on an issue so far. */
export async function costOf(db: Db, issueId: string): Promise<number> {
  const row = await db.one(
    z.object({ cost: z.number() }),
    `select coalesce(sum(cost_usd), 0)::float8 as cost from llm_evals where issue_id = $1`,
    [issueId],
  );
  return row.cost;
}
