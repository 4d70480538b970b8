/**
 * What an answer's headers said of the limits. Times are durations from now on, in milliseconds: the clocks of the
 * tracker, of the database and of the processes differ, and may jump.
 */
export interface QuotaNews {
  /** Requests that a whole window has. */
  limit: number | null;
  /** Requests left in the window. */
  remaining: number | null;
  /** Until the window ends. */
  resetsInMs: number | null;
  /** The tracker wants no request for so long: a secondary limit, or the primary one used up. */
  blockedForMs: number | null;
}

/**
 * The limits of a tracker, shared by all processes that use the same credentials. Requests are let through, made to
 * wait a little, or refused with `rate_limited` and `retryAfterMs`, so that a job can be tried again then.
 */
export interface Quotas {
  /** `write`: makes something that people see; trackers bound these apart, and want them spaced. */
  admit(quota: string, kind: "read" | "write"): Promise<void>;
  /** Never throws: what was answered counts, also where it cannot be noted. */
  observe(quota: string, news: QuotaNews): Promise<void>;
}

/** Lets all through, for trackers without limits. */
export const unlimited: Quotas = {
  admit: async () => {},
  observe: async () => {},
};
