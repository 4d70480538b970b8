/** A call of a tracker's HTTP API. */
export interface TrackerRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /**
   * Below the API's address, from its slash on, its parts encoded; or the whole address of a next page, which must be
   * of the same origin.
   */
  path: string;
  query?: Record<string, string | number | boolean>;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Whose limits it counts against: a token, or an installation of an App. */
  quota: string;
  /** For what is asked by POST and makes nothing, such as a token: `read`. By default only GET is a read. */
  kind?: "read" | "write";
  /** Gives the answer as text whatever its type says: for files of a repository. */
  as?: "text";
  /** What a long answer is cut off at: an error `too_large`. */
  maxBytes?: number;
}

export interface TrackerResponse {
  status: number;
  headers: Headers;
  /** Parsed where it is JSON, text otherwise, null where there is none. Not yet checked. */
  body: unknown;
  /** The whole address of the next page, where there is one (`Link`). One elsewhere is refused when it is asked for. */
  next: string | null;
}

/**
 * Makes one call, once: nothing is tried again here (R-ACT-5), but for a 401, which had no effect, with newer
 * credentials where there are any. Waits for the quota first; answers 304 from what was kept; follows redirects at the same origin, of GET, and 307 and 308 of all;
 * gives back answers of 2xx, and throws for all others: `not_found` (404, 410, and what has moved), `forbidden`
 * (401, 403, 451), `invalid` (400, 405, 409, 422 and the rest of 4xx), `rate_limited` with `retryAfterMs` (429, and 403 where
 * the answer says so), `unavailable` (5xx and network), `timeout`, `too_large`. The message names the call and what
 * the tracker said, without secrets.
 */
export type TrackerHttp = (request: TrackerRequest) => Promise<TrackerResponse>;
