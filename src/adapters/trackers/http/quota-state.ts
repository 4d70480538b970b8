import { LONGEST_BLOCK, LONGEST_WINDOW } from "./limits.ts";
import type { QuotaNews, RequestKind } from "./quota.ts";

/** The known state of a quota. Times are milliseconds of a monotonic clock. */
export interface Standing {
  limit: number | null;
  remaining: number | null;
  resetsAt: number | null;
  blockedUntil: number | null;
}

export const NOTHING_KNOWN: Standing = { limit: null, remaining: null, resetsAt: null, blockedUntil: null };

/** Window ends this close belong to the same window: trackers give them in whole seconds. */
const SAME_WINDOW_MS = 10_000;
/** The same rules for the state shared by all processes. */
export const STORED_BOUNDS = {
  sameWindowMs: SAME_WINDOW_MS,
  furthestMs: Math.max(LONGEST_BLOCK, LONGEST_WINDOW) + 60_000,
};
/** The share of a window that reads leave for replies to people. */
const RESERVED_SHARE = 0.05;

/**
 * Merges news from a response or from other processes. Within a window `remaining` only decreases, since responses
 * may arrive out of order; news of an older window is ignored; a block is never shortened.
 */
export function withNews(standing: Standing, news: QuotaNews, now: number): Standing {
  const { remaining, resetsInMs, blockedForMs } = news;
  const limit = news.limit ?? standing.limit;
  const blockedUntil =
    blockedForMs === null
      ? standing.blockedUntil
      : Math.max(standing.blockedUntil ?? 0, now + Math.min(blockedForMs, LONGEST_BLOCK));
  const same = { ...standing, limit, blockedUntil };
  if (remaining === null || resetsInMs === null || resetsInMs <= 0) return same;
  const resetsAt = now + Math.min(resetsInMs, LONGEST_WINDOW);
  const known = standing.resetsAt;
  const isNewer = known === null || known <= now || resetsAt > known + SAME_WINDOW_MS;
  if (isNewer || standing.remaining === null) return { limit, remaining, resetsAt, blockedUntil };
  if (resetsAt < known - SAME_WINDOW_MS) return same;
  return { ...same, remaining: Math.min(standing.remaining, remaining) };
}

/** What is shared with the other processes. */
export function newsOf({ limit, remaining, resetsAt, blockedUntil }: Standing, now: number): QuotaNews {
  const open = resetsAt !== null && resetsAt > now && remaining !== null;
  return {
    limit,
    remaining: open ? remaining : null,
    resetsInMs: open ? resetsAt - now : null,
    blockedForMs: blockedUntil !== null && blockedUntil > now ? blockedUntil - now : null,
  };
}

/**
 * Milliseconds until a request may be sent; 0 for now. `spent` were sent since the last response. Reads leave
 * `reserve` requests of a window, or a twentieth of a small one; if its size is unknown, the next response gives it.
 */
export function waitOf(
  { limit, remaining, resetsAt, blockedUntil }: Standing,
  { kind, spent, reserve, now }: { kind: RequestKind; spent: number; reserve: number; now: number },
): number {
  const kept = kind === "write" || limit === null ? 0 : Math.min(reserve, Math.ceil(limit * RESERVED_SHARE));
  const usedUp = remaining !== null && resetsAt !== null && remaining - spent <= kept ? resetsAt - now : 0;
  return Math.max(0, usedUp, (blockedUntil ?? 0) - now);
}
