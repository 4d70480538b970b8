import { RelayError, Postponed } from "../../lib/errors.ts";

/** Ends jobs that no handler counts; otherwise the handler decides when a job becomes a dead letter. */
const LAST_TRY = 100;
/** Transient failures, such as a tracker that is down, are retried forever: after 1 s, 2 s, 4 s, … 5 min. */
export const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 300_000;
/** No tracker asks to wait longer. */
const LONGEST_WAIT_MS = 6 * 3_600_000;

/** `level`: of its log line; a job that only waits its turn needs no attention. */
export type Retry =
  | { kind: "give up" }
  | { kind: "retry"; level: "debug" | "warn" | "error"; waitMs: number; failures: number };

/**
 * What happens to a job whose handler threw. `failures` counts its failures, `retryCount` how often it was taken: a job
 * that only had to wait, or whose process died, has not failed.
 */
export function retryAfter(
  error: unknown,
  { failures, retryCount }: { failures: number; retryCount: number },
  firstBackoffMs = FIRST_BACKOFF_MS,
): Retry {
  const transient = error instanceof RelayError && error.retryable;
  if (!transient && retryCount >= LAST_TRY) return { kind: "give up" };
  const asked = error instanceof RelayError ? error.retryAfterMs : undefined;
  const waitMs = asked ?? Math.min(firstBackoffMs * 2 ** failures, LONGEST_BACKOFF_MS);
  return {
    kind: "retry",
    level: waitsItsTurn(error) ? "debug" : transient ? "warn" : "error",
    waitMs: Math.min(waitMs, LONGEST_WAIT_MS),
    failures: asked === undefined ? failures + 1 : failures,
  };
}

/**
 * Whether another worker has the work, or it made way for other work; after an outage (`cause`), it has failed instead.
 */
function waitsItsTurn(error: unknown): boolean {
  if (!(error instanceof RelayError) || !error.retryable || error.retryAfterMs === undefined) return false;
  return error.code === "conflict" || (error instanceof Postponed && error.cause === undefined);
}

/** After this many dead processes the job itself may be the cause; it then leaves room for others. */
const IMMEDIATE_RELEASES = 4;
const IMMEDIATELY_MS = 50;
export const LONGEST_RELEASE_MS = 30_000;

/** The backoff before a job is handed out again after its process died for the `retryCount`-th time. */
export function waitAfterRelease(retryCount: number): number {
  if (retryCount < IMMEDIATE_RELEASES) return IMMEDIATELY_MS;
  return Math.min(1_000 * 2 ** (retryCount - IMMEDIATE_RELEASES), LONGEST_RELEASE_MS);
}
