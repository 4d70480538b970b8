import type { Clock } from "../../lib/clock.ts";
import { type CallRequest, type CallResult, callModel, promptText } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import { inSpan, noteInSpan } from "../../lib/trace.ts";
import { failure } from "./failure.ts";
import { answerAttributes, chatName, requestAttributes } from "./gen-ai.ts";
import type { LimitKind, RunLimits } from "./limits.ts";
import type { ModelCall, ModelFailure, ModelRole } from "./model.ts";
import type { Timeouts } from "./timeouts.ts";
import { type PriceTable, costOf } from "./prices.ts";
import { recordOf } from "./record.ts";
import { type RetryPolicy, waitBeforeRetry } from "./retry.ts";
import { type UsageTotal, addCall, limitReached } from "./usage.ts";
import { exceedsTokens } from "./tokens.ts";

/** The dependencies of calls. */
export interface CallParts {
  prices: PriceTable;
  clock: Clock;
  /** In [0, 1). */
  random: () => number;
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Gets each call, failed or not, as soon as it is over; awaited. */
  onCall: (call: ModelCall) => Promise<void> | void;
  retry: RetryPolicy;
  timeouts: Timeouts;
}

/** The state of a run between steps. */
export interface RunState {
  role: ModelRole;
  step: number;
  /** Index of the current candidate. */
  current: number;
  fellBackFrom: { model: string; failure: ModelFailure }[];
  total: UsageTotal;
  /** How much of the conversation the previous step had already sent. */
  sentEntries: number;
}

export type NextAnswer =
  | Extract<CallResult, { kind: "answered" | "overlong" | "aborted" }>
  | { kind: "failed"; failure: ModelFailure }
  | { kind: "limit"; limit: LimitKind };

/**
 * One answer: retried after transient failures, then asked of the next candidate, if one is configured. Every call is
 * recorded and added to the total of `state`.
 */
export async function nextAnswer(
  request: CallRequest,
  candidates: readonly Candidate[],
  state: RunState,
  { limits, signal, parts }: { limits: RunLimits; signal: AbortSignal; parts: CallParts },
): Promise<NextAnswer> {
  for (;;) {
    const candidate = candidates[state.current];
    if (candidate === undefined) throw new RangeError("a run without a model");
    const answer = await tryCandidate(request, candidate, state, { limits, signal, parts });
    const next = candidates[state.current + 1];
    if (answer.kind !== "failed" || !answer.failure.retryable || next === undefined) return answer;
    state.fellBackFrom.push({ model: candidate.name, failure: answer.failure });
    state.current += 1;
  }
}

async function tryCandidate(
  request: CallRequest,
  candidate: Candidate,
  state: RunState,
  { limits, signal, parts }: { limits: RunLimits; signal: AbortSignal; parts: CallParts },
): Promise<NextAnswer> {
  const tooLong = await refusePrompt(request, candidate, limits);
  if (tooLong !== null) return { kind: "failed", failure: tooLong };
  const began = parts.clock.now().getTime();
  for (let attempt = 1; ; attempt += 1) {
    const reached = limitReached(state.total, limits);
    if (reached !== null) return { kind: "limit", limit: reached };
    const asked = requestAttributes(candidate.connection, request);
    const { result, costUsd } = await inSpan(
      chatName(candidate.connection),
      { kind: "client", attributes: asked },
      async () => {
        const answer = await callModel(candidate, request, { ...parts, signal });
        const cost = costOf(parts.prices, candidate.name, answer.usage);
        const { step, role } = state;
        noteInSpan({
          ...answerAttributes(answer, cost),
          "relay.stage": role,
          "relay.step": step,
          "relay.attempt": attempt,
        });
        return { result: answer, costUsd: cost };
      },
    );
    state.total = addCall(state.total, result.usage, costUsd);
    await parts.onCall(recordOf(result, request, candidate, { ...state, attempt, costUsd }));
    if (result.kind !== "failed") return result;
    if (await adapted(candidate, result.failure)) continue;
    const elapsedMs = parts.clock.now().getTime() - began;
    const wait = waitBeforeRetry(result.failure, { attempt, elapsedMs, random: parts.random() }, parts.retry);
    if (wait === null) return { kind: "failed", failure: result.failure };
    try {
      await parts.sleep(wait, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return { ...result, kind: "aborted" };
    }
  }
}

/** Whether to retry at once, without the parameter that the server rejected by name. */
async function adapted(candidate: Candidate, { kind, message }: ModelFailure): Promise<boolean> {
  if (kind !== "bad_request" && kind !== "too_long") return false;
  return (await candidate.open()).adapt?.(message) ?? false;
}

async function refusePrompt(
  request: CallRequest,
  { name, context }: Candidate,
  limits: RunLimits,
): Promise<ModelFailure | null> {
  const room =
    context === null ? limits.promptTokens : Math.min(limits.promptTokens, context - request.maxOutputTokens);
  if (!(await exceedsTokens(promptText(request), room))) return null;
  return failure("too_long", name, { detail: `the prompt has more than ${room} tokens and was not sent` });
}
