import { z } from "zod";
import type { Db } from "./db.ts";

const callRow = z
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
/** A call of a model as it is stored, without what was said in it. */
export type StoredCall = z.infer<typeof callRow>;

/** The calls made for an issue, oldest first, without what was said in them. */
export async function listCalls(db: Db, issueId: string): Promise<StoredCall[]> {
  return await db.query(
    callRow,
    `select id, cycle_id, stage, role, model, step, attempt, prompt_hash, latency_ms, input_tokens, cached_tokens,
            cache_write_tokens, output_tokens, reasoning_tokens, tokens_estimated, status, cost_usd::float8 as cost_usd,
            created_at
     from llm_evals where issue_id = $1 and kind = 'call' order by id`,
    [issueId],
  );
}

export const usageRow = z
  .object({
    cost: z.number(),
    calls: z.number(),
    unpriced: z.number(),
    input: z.number(),
    cached: z.number(),
    output: z.number(),
  })
  .transform((row) => ({
    costUsd: row.cost,
    calls: row.calls,
    unpricedCalls: row.unpriced,
    inputTokens: row.input,
    cachedTokens: row.cached,
    outputTokens: row.output,
  }));

/** What an issue has taken. */
export type IssueUsage = z.infer<typeof usageRow>;

/** The columns of `usageRow`, over calls. */
export const USAGE = `
  coalesce(sum(cost_usd), 0)::float8 as cost,
  count(*) filter (where kind = 'call')::int as calls,
  count(*) filter (where kind = 'call' and cost_usd is null)::int as unpriced,
  coalesce(sum(input_tokens), 0)::float8 as input,
  coalesce(sum(cached_tokens), 0)::float8 as cached,
  coalesce(sum(output_tokens), 0)::float8 as output`;

/**
 * What an issue has taken so far. `costUsd` are the US dollars of the calls whose price is known; `unpricedCalls` says
 * how many more there were.
 */
export async function usageOf(db: Db, issueId: string): Promise<IssueUsage> {
  return await db.one(usageRow, `select ${USAGE} from llm_evals where issue_id = $1`, [issueId]);
}
