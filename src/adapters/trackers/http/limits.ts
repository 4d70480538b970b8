import type { QuotaNews } from "./quota.ts";

/** The rate limits that a response reports. */
export interface Limits {
  news: QuotaNews;
  /** The call was rejected because of a limit, and had no effect. */
  limited: boolean;
  /** Milliseconds before a retry, if the response says so or a limit requires it. */
  retryAfterMs: number | null;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** The backoff for a limit without a duration; GitHub's documentation asks for at least this much. */
const UNTOLD_BLOCK = MINUTE;
/** The longest backoff: a wrong clock must not silence Relay forever. */
export const LONGEST_BLOCK = 60 * MINUTE;
export const LONGEST_WINDOW = 65 * MINUTE;

/** Without a `Retry-After`, the message is the only mark of GitHub's secondary limits. */
const SECONDARY = /secondary rate limit|abuse detection/i;

/**
 * Reads GitHub's `x-ratelimit-*`, GitLab's `RateLimit-*`, and `Retry-After`. A 403 is a limit if it has a
 * `Retry-After`, if the window is used up, or if GitHub's message says so. Times are taken
 * relative to the response's `Date`, so that only the tracker's clock counts; `now` is for responses without one.
 * A resource that GitHub counts separately (`x-ratelimit-resource`) applies only to a quota that ends
 * in its name, like `…:graphql`.
 */
export function limitsOf(
  { status, headers, said, quota }: { status: number; headers: Headers; said: string; quota: string },
  now: Date,
): Limits {
  const sentAt = Date.parse(headers.get("date") ?? "");
  const from = Number.isNaN(sentAt) ? now.getTime() : sentAt;
  const limit = count(headers.get("x-ratelimit-limit") ?? headers.get("ratelimit-limit"));
  const remaining = count(headers.get("x-ratelimit-remaining") ?? headers.get("ratelimit-remaining"));
  const resetsInMs = windowEnd(headers, from);
  const asked = retryAfter(headers.get("retry-after"), from);
  const usedUp = remaining === 0;
  const limited = status === 429 || (status === 403 && (asked !== null || usedUp || SECONDARY.test(said)));
  const blockedForMs = limited ? clamp(asked ?? (usedUp ? resetsInMs : null) ?? UNTOLD_BLOCK, LONGEST_BLOCK) : null;
  const retryAfterMs = limited ? blockedForMs : status >= 500 ? asked : null;
  const resource = headers.get("x-ratelimit-resource") ?? "core";
  if (resource !== "core" && !quota.endsWith(`:${resource}`)) {
    const onlyThere = limited && asked === null && usedUp;
    const news = { limit: null, remaining: null, resetsInMs: null, blockedForMs: onlyThere ? null : blockedForMs };
    return { news, limited, retryAfterMs };
  }
  return { news: { limit, remaining, resetsInMs, blockedForMs }, limited, retryAfterMs };
}

function count(value: string | null): number | null {
  return value !== null && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : null;
}

/** Milliseconds until the window ends: both trackers name the second since 1970. Null once it is over. */
function windowEnd(headers: Headers, from: number): number | null {
  const reset = headers.get("x-ratelimit-reset") ?? headers.get("ratelimit-reset");
  if (reset === null || !/^\s*\d{1,12}\s*$/.test(reset)) return null;
  // The second has begun when it is named, and is over only when the window is.
  const ms = Number(reset) * SECOND - from + SECOND;
  return ms <= 0 ? null : clamp(ms, LONGEST_WINDOW);
}

/**
 * Milliseconds that a `Retry-After` asks for, at most `most`: it is in seconds, or a date (RFC 9110). Null without one.
 */
export function retryAfter(value: string | null, from: number, most = LONGEST_BLOCK): number | null {
  if (value === null) return null;
  const text = value.trim();
  if (/^\d{1,12}(?:\.\d{1,9})?$/.test(text)) return clamp(Math.ceil(Number(text) * SECOND), most);
  // Date.parse takes all sorts of numbers for dates.
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : clamp(date - from, most);
}

function clamp(ms: number, most: number): number {
  return Math.min(Math.max(ms, SECOND), most);
}
