import { RelayError, messageOf, systemCode, type ErrorCode } from "../../../lib/errors.ts";
import type { Limits } from "./limits.ts";
import { safeLine } from "./error-message.ts";

const CODES: Partial<Record<number, ErrorCode>> = {
  401: "forbidden",
  403: "forbidden",
  404: "not_found",
  408: "timeout",
  410: "not_found",
  413: "too_large",
  429: "rate_limited",
  451: "forbidden",
};

const FIXES: Partial<Record<ErrorCode, string>> = {
  forbidden: "check what Relay's credentials are allowed to do there",
  not_found: "check that it exists, and that Relay's credentials may see it",
  invalid: "what was asked for does not fit there",
  too_large: "send less at a time",
  rate_limited: "it is tried again when the tracker allows",
  unavailable: "try again later",
  timeout: "try again later",
};

/**
 * A refusal that people can end; `needs`: permissions that would do, if the tracker says so; `mend`: what else they can
 * do.
 */
export interface LostAccess {
  needs: string | null;
  mend?: string;
}

/** Names of permissions as trackers list them: `issues=write; pull_requests=write`. */
const NAMES = /^[\w=;, ]{1,200}$/;

/** The error for an unsuccessful response. `call` names method and path; `lost`: access that people can give back. */
export function refusalOf(
  call: string,
  { status, said, limits, lost = null }: { status: number; said: string; limits: Limits; lost?: LostAccess | null },
): RelayError {
  const code = limits.limited ? "rate_limited" : (CODES[status] ?? (status >= 500 ? "unavailable" : "invalid"));
  const accessLost = status === 401 || (lost !== null && !limits.limited);
  const permitted =
    lost?.needs && NAMES.test(lost.needs) ? `give Relay the permission ${lost.needs}` : (lost?.mend ?? FIXES[code]);
  const fix = status === 401 ? "check that Relay's credentials are right and have not expired" : permitted;
  const { retryAfterMs } = limits;
  return new RelayError(code, `${call} was refused with ${status}${said === "" ? "" : ` (${said})`}; ${fix}`, {
    status,
    accessLost,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  });
}

/** A redirect that is not followed. The message omits the target's query, which may hold a secret. */
export function movedError(call: string, status: number, target: URL | null): RelayError {
  const place = target === null ? "an address that cannot be read" : `${target.origin}${target.pathname}`.slice(0, 300);
  return new RelayError(
    "not_found",
    `${call} has moved (${status}) to ${place}; give Relay the new name or address, it does not follow by itself`,
    { status },
  );
}

const UNKNOWN_AUTHORITY = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** The connection was never made. */
const UNSENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  ...UNKNOWN_AUTHORITY,
]);

/** A call without a complete response: whether it took effect is unknown, unless no connection was made. */
export function brokenCall(
  call: string,
  cause: unknown,
  { timeoutMs, secrets }: { timeoutMs: number; secrets: readonly string[] },
): RelayError {
  if (cause instanceof RelayError) return cause;
  if (cause instanceof Error && cause.name === "TimeoutError") {
    return new RelayError("timeout", `${call} was not answered within ${timeoutMs} ms; try again later`, { cause });
  }
  const inner = innermost(cause);
  const fix = UNKNOWN_AUTHORITY.has(systemCode(inner) ?? "")
    ? "name the certificate of its authority to Node by NODE_EXTRA_CA_CERTS"
    : "check the network and the tracker's address";
  const reason = safeLine(messageOf(inner) || (systemCode(inner) ?? ""), secrets);
  return new RelayError("unavailable", `${call} got no whole answer (${reason}); ${fix}`, {
    cause,
    unsent: UNSENT.has(systemCode(inner) ?? ""),
  });
}

/** `fetch` says only "fetch failed"; the actual error is in the cause of the cause. */
function innermost(error: unknown): unknown {
  let at = error;
  for (let depth = 0; depth < 5 && at instanceof Error && at.cause !== undefined; depth += 1) at = at.cause;
  return at instanceof AggregateError ? (at.errors[0] ?? at) : at;
}
