import { LONGEST_BLOCK, LONGEST_WINDOW } from "./limits.ts";
import type { Priority } from "../../../lib/priority.ts";
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
/** The largest share of a window that is kept for `direct` requests. */
const RESERVED_SHARE = 0.05;
/**
 * The shares of a window that `background` leaves to others: the first at its end, and the second more at its
 * beginning.
 */
const KEPT_SHARE = 0.5;
const SPREAD_SHARE = 0.4;
/** A background request that has to wait does so until this share of a window is free for background. */
const STEP_SHARE = 0.01;

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

/** A request that is to be sent. Times are milliseconds. */
export interface Asked {
  kind: RequestKind;
  priority: Priority;
  /** Requests sent since the last response. */
  spent: number;
  /** Requests of a window that are kept for `direct`: at most a twentieth of a small one. */
  reserve: number;
  /** The length of the tracker's windows. */
  windowMs: number;
  now: number;
}

/**
 * Milliseconds until a request may be sent; 0 for now (R-SCALE-2). `direct` may use the last of a window. `normal`
 * leaves the reserve; a write, with which work ends, half of it. `background` leaves half of the window, and uses the
 * rest no faster than the window passes, except for a tenth at once. If the size of a window is unknown, the next
 * response gives it.
 */
export function waitOf(standing: Standing, asked: Asked): number {
  const { limit, remaining, resetsAt, blockedUntil } = standing;
  const { kind, priority, spent, reserve, windowMs, now } = asked;
  const blocked = Math.max(0, (blockedUntil ?? 0) - now);
  if (remaining === null || resetsAt === null || resetsAt <= now) return blocked;
  const left = remaining - spent;
  const untilReset = resetsAt - now;
  if (left <= keptBy(priority, kind, limit, reserve)) return Math.max(untilReset, blocked);
  if (priority !== "background" || limit === null) return blocked;
  // The part of the window that is over by then leaves as many requests to background.
  const opensAt = (share: number) => untilReset - ((left / limit - KEPT_SHARE - share) / SPREAD_SHARE) * windowMs;
  return Math.max(blocked, opensAt(0) < 0 ? 0 : Math.min(untilReset, opensAt(STEP_SHARE)));
}

function keptBy(priority: Priority, kind: RequestKind, limit: number | null, reserve: number): number {
  if (priority === "direct" || limit === null) return 0;
  if (priority === "background") return limit * KEPT_SHARE;
  const kept = Math.min(reserve, Math.ceil(limit * RESERVED_SHARE));
  return kind === "read" ? kept : Math.floor(kept / 2);
}
