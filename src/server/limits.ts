/** Limits on unauthenticated requests (R-SAFE-5). */
export interface WebLimits {
  /** Bytes of one body. GitHub sends at most 25 MiB. */
  bodyBytes: number;
  /** Bytes of all bodies being read, before any signature is verified. */
  heldBytes: number;
  /** Time limit for storing a delivery, in milliseconds; trackers time out after 10 s. */
  receiveMs: number;
  /** Timeout of the database health check, in milliseconds. */
  healthMs: number;
  /** Timeouts for the headers and for the whole request, in milliseconds. */
  headersMs: number;
  requestMs: number;
  connections: number;
}

const MIB = 1024 * 1024;

export const WEB_LIMITS: WebLimits = {
  bodyBytes: 25 * MIB,
  heldBytes: 256 * MIB,
  receiveMs: 8_000,
  healthMs: 3_000,
  headersMs: 10_000,
  requestMs: 30_000,
  connections: 2_000,
};
