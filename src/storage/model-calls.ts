import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Sight } from "../domain/sight.ts";
import type { Db } from "./db.ts";
import { seenBy } from "./sight.ts";
import { z } from "zod";
import { keptJson } from "../domain/text/clean-text.ts";

/** The stage a model worked in (R-OBS-1). */
export type EvalStage =
  | "planner"
  | "spec_generator"
  | "explore"
  | "rerank"
  | "triage"
  | "fix_planner"
  | "reply"
  | "worker";

/** Tokens of an entry. */
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

/** The final output of a planner or a writer. Its cost is in its calls. */
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
  /** US dollars; null if the model has no known price. */
  costUsd: number | null;
  startedAt: Date;
}

/** Stores the input and output of a planner or writer (R-OBS-1), without secrets (R-SAFE-3). */
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
      keptJson(entry.input),
      keptJson(entry.output),
      Math.round(entry.latencyMs),
      clock.now(),
    ],
  );
}

/** Stores one call with its cost, under the issue's repository, without secrets (R-SAFE-3). */
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
      keptJson(call.input),
      keptJson(call.output),
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
 * Links calls to their cycle. Calls are stored as soon as they end, before their cycle is; those of a cycle lost in a
 * crash go to the next one, which redoes its work.
 */
export async function linkCalls(db: Db, issueId: string, cycleId: string): Promise<void> {
  await db.execute(`update llm_evals set cycle_id = $2 where issue_id = $1 and cycle_id is null and kind = 'call'`, [
    issueId,
    cycleId,
  ]);
}

/** Before an issue is erased: removes all content from its calls and keeps their cost (R-OBS-2). */
export async function redactEvals(db: Db, issueId: string): Promise<void> {
  await db.execute(`delete from llm_evals where issue_id = $1 and kind = 'outcome'`, [issueId]);
  await db.execute(
    `update llm_evals set issue_id = null, cycle_id = null, input = 'null', output = 'null', prompt_hash = null
     where issue_id = $1`,
    [issueId],
  );
}

export const callRow = z
  .object({
    id: z.string(),
    cycle_id: z.string().nullable(),
    stage: z.string(),
    role: z.string().nullable(),
    model: z.string(),
    step: z.number().nullable(),
    attempt: z.number().nullable(),
    prompt_hash: z.string().nullable(),
    latency_ms: z.number(),
    input_tokens: z.number().nullable(),
    cached_tokens: z.number().nullable(),
    cache_write_tokens: z.number().nullable(),
    output_tokens: z.number().nullable(),
    reasoning_tokens: z.number().nullable(),
    tokens_estimated: z.boolean(),
    status: z.string().nullable(),
    cost_usd: z.number().nullable(),
    created_at: z.date(),
  })
  .transform((row) => ({
    id: row.id,
    cycleId: row.cycle_id,
    stage: row.stage,
    role: row.role,
    model: row.model,
    step: row.step ?? 0,
    attempt: row.attempt ?? 0,
    promptHash: row.prompt_hash,
    ms: row.latency_ms,
    usage: {
      input: row.input_tokens ?? 0,
      cachedInput: row.cached_tokens ?? 0,
      cacheWrite: row.cache_write_tokens ?? 0,
      output: row.output_tokens ?? 0,
      reasoning: row.reasoning_tokens ?? 0,
      estimated: row.tokens_estimated,
    },
    status: row.status,
    costUsd: row.cost_usd,
    at: row.created_at,
  }));
export const CALL_COLUMNS = `id, cycle_id, stage, role, model, step, attempt, prompt_hash, latency_ms, input_tokens,
  cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, tokens_estimated, status,
  cost_usd::float8 as cost_usd, created_at`;

/** A stored model call, without its content. */
export type StoredCall = z.infer<typeof callRow>;

/** The calls made for an issue, oldest first, without their content. */
export async function listCalls(db: Db, issueId: string): Promise<StoredCall[]> {
  return await db.query(
    callRow,
    `select ${CALL_COLUMNS} from llm_evals where issue_id = $1 and kind = 'call' order by id`,
    [issueId],
  );
}

const wholeCallRow = z
  .looseObject({ input: z.unknown(), output: z.unknown(), issue_id: z.string().nullable() })
  .transform(({ input, output, issue_id: issueId, ...row }) => ({ row, input, output, issueId }))
  .pipe(z.object({ row: callRow, input: z.unknown(), output: z.unknown(), issueId: z.string().nullable() }))
  .transform(({ row, ...rest }) => ({ ...row, ...rest }));
/** A stored model call with its prompt and answer. */
export type WholeCall = z.infer<typeof wholeCallRow>;

/** One call with its content; null if there is none with this id, or they may not see it. */
export async function findCall(db: Db, id: string, sight: Sight): Promise<WholeCall | null> {
  const seen = seenBy(sight, 2);
  return await db.maybeOne(
    wholeCallRow,
    `select ${CALL_COLUMNS}, input, output, issue_id from llm_evals where id = $1 and kind = 'call'
       and ($2::bigint[] is null or issue_id in (select s.id from issues s where ${seen.where}))`,
    [id, ...seen.parameters],
  );
}

export const usageRow = z
  .object({
    cost: z.number(),
    calls: z.number(),
    runs: z.number(),
    unpriced: z.number(),
    input: z.number(),
    cached: z.number(),
    output: z.number(),
  })
  .transform((row) => ({
    costUsd: row.cost,
    calls: row.calls,
    agentRuns: row.runs,
    unpricedCalls: row.unpriced,
    inputTokens: row.input,
    cachedTokens: row.cached,
    outputTokens: row.output,
  }));

/** The number of an issue's model calls and coding agent runs, with the tokens and cost of both. */
export type IssueUsage = z.infer<typeof usageRow>;

/** The columns of `usageRow`, over calls. */
export const USAGE = `
  coalesce(sum(cost_usd), 0)::float8 as cost,
  count(*) filter (where kind = 'call' and stage <> 'worker')::int as calls,
  count(*) filter (where kind = 'call' and stage = 'worker' and provider is distinct from 'script')::int as runs,
  count(*) filter (where kind = 'call' and cost_usd is null)::int as unpriced,
  coalesce(sum(input_tokens), 0)::float8 as input,
  coalesce(sum(cached_tokens), 0)::float8 as cached,
  coalesce(sum(output_tokens), 0)::float8 as output`;

/**
 * Model calls, coding agent runs, tokens and cost of an issue so far. Patches applied by the agent `script` do not
 * count. `costUsd` covers what has a known price; `unpricedCalls` counts the other calls and runs.
 */
export async function usageOf(db: Db, issueId: string): Promise<IssueUsage> {
  return await db.one(usageRow, `select ${USAGE} from llm_evals where issue_id = $1`, [issueId]);
}
