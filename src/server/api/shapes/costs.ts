import { z } from "zod";
import type { TimedCosts } from "../../../storage/costs.ts";
import type { StoredCall, WholeCall } from "../../../storage/model-calls.ts";
import { cost, id, time, timeOf } from "./basics.ts";

export { knownCost } from "../../../domain/cost.ts";

export const usageSchema = z.object({
  calls: z.int(),
  agent_runs: z.int(),
  input_tokens: z.number(),
  cached_tokens: z.number(),
  output_tokens: z.number(),
});

export const callSchema = z
  .object({
    id,
    issue: z.string().nullable().meta({ description: "The issue's name, such as `github/acme/shop#12`." }),
    stage: z.string(),
    role: z.string().nullable(),
    model: z.string(),
    status: z.string().nullable(),
    step: z.int(),
    attempt: z.int(),
    ms: z.number(),
    input_tokens: z.number(),
    cached_tokens: z.number(),
    cache_write_tokens: z.number(),
    output_tokens: z.number(),
    reasoning_tokens: z.number(),
    tokens_estimated: z.boolean(),
    cost_usd: cost,
    at: time,
  })
  .meta({ id: "ModelCall", description: "One call of a model, or one run of a coding agent." });

/** With what was asked and said; null once those texts are removed (`retention`). */
export const wholeCallSchema = callSchema
  .extend({ input: z.unknown(), output: z.unknown() })
  .meta({ id: "WholeModelCall", description: "A call with its prompt and answer; null once those are removed." });

export function shownCall(call: StoredCall, issue: string | null): z.infer<typeof callSchema> {
  const { usage } = call;
  return {
    id: call.id,
    issue,
    stage: call.stage,
    role: call.role,
    model: call.model,
    status: call.status,
    step: call.step,
    attempt: call.attempt,
    ms: call.ms,
    input_tokens: usage.input,
    cached_tokens: usage.cachedInput,
    cache_write_tokens: usage.cacheWrite,
    output_tokens: usage.output,
    reasoning_tokens: usage.reasoning,
    tokens_estimated: usage.estimated,
    cost_usd: call.costUsd,
    at: timeOf(call.at),
  };
}

export function shownWholeCall(call: WholeCall, issue: string | null): z.infer<typeof wholeCallSchema> {
  return { ...shownCall(call, issue), input: call.input ?? null, output: call.output ?? null };
}

export const dayCostsSchema = z
  .object({
    day: z.iso.date().meta({ description: "In UTC." }),
    stage: z.string(),
    model: z.string(),
    repository: z.string().nullable(),
    cost_usd: cost,
    calls: z.int(),
    unpriced_calls: z.int(),
    p50_ms: z.number(),
    p95_ms: z.number(),
  })
  .meta({ id: "DayCosts", description: "What the calls of one day, stage, model and repository cost." });

export function shownDayCosts(row: TimedCosts): z.infer<typeof dayCostsSchema> {
  return {
    day: row.day,
    stage: row.stage,
    model: row.model,
    repository: row.repository === "" ? null : row.repository,
    cost_usd: row.unpriced === row.calls ? null : row.usd,
    calls: row.calls,
    unpriced_calls: row.unpriced,
    p50_ms: row.p50Ms,
    p95_ms: row.p95Ms,
  };
}
