import type { ModelFailure } from "./model.ts";

/** When to retry a failed call, with exponential backoff. Milliseconds. */
export interface RetryPolicy {
  /** Tries of one step on one model, the first included. */
  attempts: number;
  /** Since the step began; no wait may end later. */
  totalMs: number;
  /** The wait after the first failure; it doubles. */
  baseMs: number;
  maxWaitMs: number;
  /** A provider may ask for at most this wait; beyond it, the job is retried later instead. */
  maxRetryAfterMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 4,
  totalMs: 180_000,
  baseMs: 1_000,
  maxWaitMs: 30_000,
  maxRetryAfterMs: 60_000,
};

/**
 * Milliseconds to wait before the next attempt, or null for none. The wait doubles with jitter from `random` (in [0,
 * 1)), so that many runs do not retry at once, and is at least what the provider asks for.
 */
export function waitBeforeRetry(
  failure: ModelFailure,
  { attempt, elapsedMs, random }: { attempt: number; elapsedMs: number; random: number },
  policy: RetryPolicy,
): number | null {
  if (!failure.retryable || attempt >= policy.attempts) return null;
  const asked = failure.retryAfterMs;
  if (asked !== undefined && asked > policy.maxRetryAfterMs) return null;
  const doubled = Math.min(policy.maxWaitMs, policy.baseMs * 2 ** (attempt - 1));
  const spread = doubled * (0.5 + random / 2);
  const wait = Math.round(asked === undefined ? spread : Math.max(asked, spread));
  return elapsedMs + wait > policy.totalMs ? null : wait;
}
