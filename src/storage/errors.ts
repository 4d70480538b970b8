import { RelayError, messageOf, systemCode } from "../lib/errors.ts";

/**
 * Maps failures of PostgreSQL and the network to `RelayError`. Errors that mean a bug (a violated constraint, a wrong
 * statement) pass through unchanged.
 */
export function fromDatabase(error: unknown): unknown {
  if (error instanceof RelayError) return error;
  const code = systemCode(error) ?? "";
  const options = { cause: error };
  switch (code) {
    case "23505":
      return new RelayError("conflict", `the database holds it already: ${messageOf(error)}`, options);
    case "40001":
    case "40P01":
    case "55P03":
      return new RelayError("conflict", "another transaction came first; try again", { ...options, retryable: true });
    case "53300":
      return new RelayError(
        "unavailable",
        "the database has no connection left for Relay; raise its max_connections, or run fewer processes",
        options,
      );
    case "53100":
      return new RelayError("io", "the disk of the database is full; free some room and try again", options);
    case "58030":
      return new RelayError("io", `the disk of the database fails: ${messageOf(error)}`, options);
    case "22021":
    case "22P05":
      return new RelayError("invalid", `a text holds a character that cannot be stored: ${messageOf(error)}`, options);
    case "28000":
    case "28P01":
    case "3D000":
    case "42501":
      return new RelayError("config", `the database refuses: ${messageOf(error)}; check DATABASE_URL`, options);
    default:
      if (!isConnectionFailure(code, error)) return error;
      return new RelayError("unavailable", `the database does not answer: ${messageOf(error) || code}`, options);
  }
}

function isConnectionFailure(code: string, error: unknown): boolean {
  if (/^(08...|57P0[1-4]|53200|ECONN\w+|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/.test(code)) {
    return true;
  }
  // Errors that `pg` raises itself have no code.
  const own = /connection (terminated|timeout)|timeout (expired|exceeded)|not queryable|client was closed/i;
  return code === "" && error instanceof Error && own.test(error.message);
}
