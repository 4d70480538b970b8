/** What an answer's headers said of the limits. */
export interface QuotaNews {
  /** Requests left in the window. */
  remaining: number | null;
  /** When the window ends. */
  resetsAt: Date | null;
  /** The tracker wants no request before this: a secondary limit, or the primary one used up. */
  blockedUntil: Date | null;
}

/**
 * The limits of a tracker, shared by all processes that use the same credentials. Requests are let through, made to
 * wait a little, or refused with `rate_limited` and `retryAfterMs`, so that a job can be tried again then.
 */
export interface Quotas {
  /** `write`: makes something that people see; trackers bound these apart, and want them spaced. */
  admit(quota: string, kind: "read" | "write"): Promise<void>;
  observe(quota: string, news: QuotaNews): Promise<void>;
}
