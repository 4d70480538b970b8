import { RelayError } from "../../lib/errors.ts";

/**
 * The error of a call that Relay was not allowed to make, as one that passes: people can give back the permission, the
 * role or the token that they took away, and nothing else helps. Null for other errors.
 */
export function lostAccess(error: unknown): RelayError | null {
  if (!(error instanceof RelayError) || !error.accessLost) return null;
  return new RelayError(error.code, error.message, { cause: error, retryable: true, accessLost: true });
}
