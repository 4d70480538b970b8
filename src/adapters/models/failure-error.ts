import { RelayError } from "../../lib/errors.ts";
import type { ErrorCode } from "../../lib/errors.ts";
import type { FailureKind, ModelFailure } from "./model.ts";

const CODES: Record<FailureKind, ErrorCode> = {
  auth: "config",
  no_credit: "config",
  not_found: "config",
  bad_request: "config",
  too_long: "too_large",
  rate_limited: "rate_limited",
  overloaded: "unavailable",
  server_error: "unavailable",
  unreachable: "unavailable",
  timeout: "timeout",
  cut_short: "unavailable",
  invalid_answer: "invalid",
};

/** A model's failure as an error for people and for those who try again. */
export function errorOfFailure({ kind, message, ...about }: ModelFailure): RelayError {
  return new RelayError(CODES[kind], message, about);
}
