/** Limits on unauthenticated requests (R-SAFE-5, R-SAFE-9). */
export interface WebLimits {
  /** Bytes of one body. GitHub sends at most 25 MiB. */
  bodyBytes: number;
  /** A body of at most this many bytes always has room, whatever else is coming in; most deliveries are smaller. */
  smallBodyBytes: number;
  /** Bytes of all bodies being read, before any signature is verified: room for `connections` small ones. */
  heldBytes: number;
  /** Time limit for storing a delivery, in milliseconds; trackers time out after 10 s. */
  receiveMs: number;
  /** Timeout of the database health check, in milliseconds. */
  healthMs: number;
  /** Timeouts for the headers and for the whole request, in milliseconds. */
  headersMs: number;
  requestMs: number;
  connections: number;
  /** Connections of one address; those of this machine, where a proxy may run, have no limit. */
  addressConnections: number;
  /** Milliseconds that a caller has to read why its body is not read. */
  lingerMs: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;
const CONNECTIONS = 1_000;
const SMALL_BODY_BYTES = 64 * KIB;

export const WEB_LIMITS: WebLimits = {
  bodyBytes: 25 * MIB,
  smallBodyBytes: SMALL_BODY_BYTES,
  heldBytes: CONNECTIONS * SMALL_BODY_BYTES,
  receiveMs: 8_000,
  healthMs: 3_000,
  headersMs: 10_000,
  requestMs: 30_000,
  connections: CONNECTIONS,
  addressConnections: 250,
  lingerMs: 500,
};
