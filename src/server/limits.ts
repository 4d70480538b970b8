/** Bounds on what strangers may send (R-SAFE-5). */
export interface WebLimits {
  /** Bytes of one body. GitHub sends at most 25 MiB. */
  bodyBytes: number;
  /** Bytes of all bodies that are being read: nobody has shown a signature yet. */
  heldBytes: number;
  /** Milliseconds that storing a delivery may take; trackers give up after 10 s. */
  receiveMs: number;
  /** Milliseconds that the database may take to say that it is there. */
  healthMs: number;
  /** Milliseconds in which the headers of a request, and all of it, must be there. */
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
