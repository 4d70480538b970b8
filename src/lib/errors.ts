/**
 * Failures that callers may need to distinguish have a literal code; messages are for people and never compared.
 */
export type ErrorCode =
  | "usage" // wrong arguments or an input file that cannot be understood
  | "config" // wrong configuration, or a machine that lacks something
  | "not_found" // the thing asked for does not exist
  | "forbidden" // refused by a rule of permission or of safety
  | "conflict" // somebody else changed it first
  | "illegal_transition" // a state change that the table does not allow
  | "too_large" // over a stated limit
  | "invalid" // data from outside that does not fit its schema
  | "rate_limited"
  | "unavailable" // an outside service did not answer, or answered 5xx
  | "timeout"
  | "io" // the file system refused
  | "internal";

export interface RelayErrorOptions {
  cause?: unknown;
  /** Retrying later may succeed. */
  retryable?: boolean;
  /** Nothing was sent, so nothing took effect. */
  unsent?: boolean;
  /** The HTTP-like status to show in failure reports, e.g. `503`. */
  status?: number;
  /** Milliseconds to wait, as requested by the outside service. */
  retryAfterMs?: number;
  /** People took away a permission, a role or a token, and can give it back. */
  accessLost?: boolean;
}

/** An error whose message names the failure, its object and the remedy in one sentence. */
export class RelayError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly unsent: boolean;
  readonly accessLost: boolean;

  constructor(code: ErrorCode, message: string, options: RelayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "RelayError";
    this.code = code;
    this.retryable = options.retryable ?? (code === "unavailable" || code === "timeout" || code === "rate_limited");
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.unsent = options.unsent ?? false;
    this.accessLost = options.accessLost ?? false;
  }
}

/**
 * Stops the work of a job now, to begin it again later from what is stored (other queues “snooze” a job). Not a failure: no
 * attempt is counted, and nothing is done in its place.
 */
export class Postponed extends RelayError {
  constructor(message: string, { retryAfterMs, cause }: { retryAfterMs: number; cause?: unknown }) {
    super("unavailable", message, { retryable: true, retryAfterMs, ...(cause === undefined ? {} : { cause }) });
    this.name = "Postponed";
  }
}

/** The message of anything thrown, on one line. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s*\n\s*/g, " ").trim();
}

/** The `code` of a Node system error (`ENOENT`, …) or of a PostgreSQL error (`23505`, …), if it has one. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/**
 * The error of a call that Relay was not allowed to make, as one that passes: people can give back the permission, the
 * role or the token that they took away, and nothing else helps. Null for other errors.
 */
export function lostAccess(error: unknown): RelayError | null {
  if (!(error instanceof RelayError) || !error.accessLost) return null;
  return new RelayError(error.code, error.message, { cause: error, retryable: true, accessLost: true });
}

/** For `catch`: null in place of a `not_found`; everything else is thrown on. */
export function nullIfNotFound(error: unknown): null {
  if (error instanceof RelayError && error.code === "not_found") return null;
  throw error;
}
