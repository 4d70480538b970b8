import type { Candidate } from "./candidate.ts";
import { candidate } from "./candidate.ts";
import { converse } from "./converse.ts";
import { guardedFetch } from "./http.ts";
import type { AgentModel, AgentOutcome, AgentRequest, AgentStep } from "./model.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import type { CallParts, RunState } from "./next-answer.ts";
import type { Patience } from "./timeouts.ts";
import { DEFAULT_PATIENCE } from "./timeouts.ts";
import type { Fetch, ModelConnection } from "./providers.ts";
import type { RetryPolicy } from "./retry.ts";
import { DEFAULT_RETRY } from "./retry.ts";
import { EMPTY_TALLY } from "./usage-total.ts";

export interface AgentModelOptions extends Omit<CallParts, "retry" | "patience"> {
  /** The first choice, then the fallbacks, each used only after the one before it failed for a passing reason. */
  models: readonly [ModelConnection, ...ModelConnection[]];
  retry?: RetryPolicy;
  patience?: Patience;
  fetch?: Fetch;
}

/** Builds the agent for one role. Throws `config` for a model that cannot be reached for lack of an address. */
export function createAgentModel(options: AgentModelOptions): AgentModel {
  const fetch = guardedFetch(options.fetch ?? globalThis.fetch);
  const [first, ...others] = options.models;
  const primary = candidate(first, options.prices, fetch);
  const chain = [primary, ...others.map((other) => candidate(other, options.prices, fetch))];
  const parts: CallParts = { retry: DEFAULT_RETRY, patience: DEFAULT_PATIENCE, ...options };
  return { name: primary.name, run: async (request) => await run(request, chain, parts) };
}

async function run(request: AgentRequest, chain: readonly Candidate[], parts: CallParts): Promise<AgentOutcome> {
  const limits = { ...DEFAULT_LIMITS, ...request.limits };
  const deadline = AbortSignal.timeout(limits.ms);
  const signal = request.signal === undefined ? deadline : AbortSignal.any([request.signal, deadline]);
  const began = parts.clock.now().getTime();
  const state: RunState = {
    role: request.role,
    step: 0,
    current: 0,
    fellBackFrom: [],
    tally: EMPTY_TALLY,
    sentEntries: 0,
  };
  const steps: AgentStep[] = [];
  const end = await converse(request, chain, { limits, signal, parts, state, steps });
  const timeIsUp = end.kind === "aborted" && request.signal?.aborted !== true;
  return {
    ...(timeIsUp ? { kind: "limit", limit: "time", text: steps.at(-1)?.text ?? "" } : end),
    model: chain[state.current]?.name ?? "",
    fellBackFrom: state.fellBackFrom,
    steps,
    ...state.tally,
    ms: parts.clock.now().getTime() - began,
  };
}
