import type { ModelFailure } from "./model.ts";

/** When a failed call is tried again, and when no more. Milliseconds. */
export interface RetryPolicy {
  /** Tries of one step on one model, the first included. */
  attempts: number;
  /** Since the step began; a wait that would end later is not begun. */
  totalMs: number;
  /** The wait after the first failure; it doubles. */
  baseMs: number;
  maxWaitMs: number;
  /** A provider that asks for more than this is not waited for: the job comes back later instead. */
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
 * Milliseconds to wait before the next try, or null for none. What the provider asks for is the least; without it the
 * wait doubles, and is spread by `random` (0 to 1) so that many runs do not come back together.
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
