/** For one call with its response. */
export const REQUEST_TIMEOUT_MS = 30_000;
/** How late lists of hosted trackers show what was made. */
const LIST_LAG_MS = 10_000;

/** Milliseconds after which a call whose answer was lost has taken effect and is listed, or never will (R-IN-13). */
export function settlingTime(timeoutMs: number = REQUEST_TIMEOUT_MS): number {
  return timeoutMs + LIST_LAG_MS;
}

import type { RequestKind } from "./quota.ts";

/** A call of a tracker's HTTP API. */
export interface TrackerRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /**
   * Below the API's URL, with a leading slash and encoded segments; or the full URL of a next page, which must be
   * of the same origin.
   */
  path: string;
  query?: Record<string, string | number | boolean>;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Whose rate limits it counts against: a token, or an installation of an App. */
  quota: string;
  /** `read` for a POST that creates no content, such as one for a token. By default only GET is a read. */
  kind?: RequestKind;
  /** Returns the response as text regardless of its type: for files of a repository. */
  as?: "text";
  /** A longer response is an error `too_large`. */
  maxBytes?: number;
}

export interface TrackerResponse {
  status: number;
  headers: Headers;
  /** Parsed if it is JSON, otherwise text; null if empty. Not yet validated. */
  body: unknown;
  /** The full URL of the next page, if any (`Link`). Fetching one of another origin fails. */
  next: string | null;
}

/**
 * Makes one call, without retries (R-ACT-5), except once with newer credentials, if there are any, after a 401, which
 * had no effect. Waits for the quota first; serves a 304 from the cache, or as it is if the call has its own
 * `if-none-match`; follows redirects within the origin: those of GET, and 307 and 308 of any method. Returns responses
 * of 2xx, and throws for all others: `not_found` (404, 410 and redirects that are not followed), `forbidden` (401, 403,
 * 451), `invalid` (400, 405, 409, 422 and the rest of 4xx), `rate_limited` with `retryAfterMs` (429, and 403 if the
 * response says so), `unavailable` (5xx and network), `timeout`, `too_large`. The message names the call and the
 * tracker's own message, without secrets.
 */
export type TrackerHttp = (request: TrackerRequest) => Promise<TrackerResponse>;
