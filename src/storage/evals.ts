import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Db } from "./db.ts";

/** What a model was at work on, in the words of R-OBS-1. */
export type EvalStage = "planner" | "spec_generator" | "explore" | "triage" | "fix_planner" | "reply" | "worker";

/** Tokens of an entry; null where they are not known. */
interface Tokens {
  input: number;
  cachedInput: number;
  cacheWrite: number;
  output: number;
  reasoning: number;
  estimated: boolean;
}

interface Entry {
  issueId: string | null;
  cycleId: string | null;
  stage: EvalStage;
  /** `offline`, or `provider/name`. */
  model: string;
  input: unknown;
  output: unknown;
  latencyMs: number;
}

/** What a planner or a writer handed over in the end. Its money is in its calls. */
export type Eval = Entry;

/** One call of a model (R-OBS-1). */
export interface CallEval extends Entry {
  role: string;
  provider: string;
  step: number;
  attempt: number;
  /** sha256 of the whole prompt. */
  promptHash: string;
  status: string;
  finishReason: string | null;
  usage: Tokens;
  /** US dollars; null where the model's price is not known. */
  costUsd: number | null;
  startedAt: Date;
}

/** Keeps what went into and came out of a planner or writer (R-OBS-1). */
export async function addEval(db: Db, entry: Eval, { clock, ids }: { clock: Clock; ids: Ids }): Promise<void> {
  await db.execute(
    `insert into llm_evals (id, kind, issue_id, repository_id, cycle_id, stage, model, input, output, latency_ms,
                            cost_usd, created_at)
     values ($1, 'outcome', $2, (select repository_id from issues where id = $2), $3, $4, $5, $6, $7, $8, 0, $9)`,
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

/** Keeps one call, with what it cost. The repository is the issue's. */
export async function addCall(db: Db, call: CallEval, { ids }: { ids: Ids }): Promise<void> {
  await db.execute(
    `insert into llm_evals (id, kind, issue_id, repository_id, cycle_id, stage, model, input, output, latency_ms,
                            cost_usd, created_at, role, provider, step, attempt, prompt_hash, input_tokens,
                            cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, tokens_estimated,
                            status, finish_reason)
     values ($1, 'call', $2, (select repository_id from issues where id = $2), $3, $4, $5, $6, $7, $8, $9, $10, $11,
             $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)`,
    [
      ids.next(),
      call.issueId,
      call.cycleId,
      call.stage,
      call.model,
      JSON.stringify(call.input),
      JSON.stringify(call.output),
      Math.round(call.latencyMs),
      call.costUsd,
      call.startedAt,
      call.role,
      call.provider,
      call.step,
      call.attempt,
      call.promptHash,
      call.usage.input,
      call.usage.cachedInput,
      call.usage.cacheWrite,
      call.usage.output,
      call.usage.reasoning,
      call.usage.estimated,
      call.status,
      call.finishReason,
    ],
  );
}

/**
 * Links calls to the cycle that they were made for. They are stored before it, as soon as they are over; those of a
 * cycle that a crash ended before it was stored go to the next one, which does its work.
 */
export async function linkCalls(db: Db, issueId: string, cycleId: string): Promise<void> {
  await db.execute(`update llm_evals set cycle_id = $2 where issue_id = $1 and cycle_id is null and kind = 'call'`, [
    issueId,
    cycleId,
  ]);
}

/** Before an issue is erased: takes from its calls all that was said, and leaves what they cost (R-OBS-2). */
export async function keepFiguresOnly(db: Db, issueId: string): Promise<void> {
  await db.execute(`delete from llm_evals where issue_id = $1 and kind = 'outcome'`, [issueId]);
  await db.execute(
    `update llm_evals set issue_id = null, cycle_id = null, input = 'null', output = 'null', prompt_hash = null
     where issue_id = $1`,
    [issueId],
  );
}
