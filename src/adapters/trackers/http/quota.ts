import type { Priority } from "../../../lib/priority.ts";

/**
 * The limits in a response's headers. Times are durations from now, in milliseconds: the clocks of the
 * tracker, of the database and of the processes differ, and may jump.
 */
export interface QuotaNews {
  /** Requests allowed per window. */
  limit: number | null;
  /** Requests left in the window. */
  remaining: number | null;
  /** Until the window ends. */
  resetsInMs: number | null;
  /** How long the tracker accepts no requests: a secondary limit, or the primary one is used up. */
  blockedForMs: number | null;
}

/**
 * `write`: creates content that people see; trackers limit these separately, and want them spaced. `reaction`: has
 * turns of its own, so that neither an acknowledgement waits behind comments nor a comment behind acknowledgements.
 */
export type RequestKind = "read" | "write" | "reaction";

/**
 * The limits of a tracker, shared by all processes that use the same credentials. Requests pass, wait
 * briefly, or fail with `rate_limited` and `retryAfterMs`, so that the job can be retried then.
 */
export interface Quotas {
  /** `normal` by default. */
  admit(quota: string, kind: RequestKind, priority?: Priority): Promise<void>;
  /** Never throws: the response counts even if it cannot be recorded. */
  observe(quota: string, news: QuotaNews): Promise<void>;
}

/** Lets every request pass, for trackers without limits. */
export const unlimited: Quotas = {
  admit: async () => {},
  observe: async () => {},
};
