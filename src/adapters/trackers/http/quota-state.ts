import { LONGEST_BLOCK, LONGEST_WINDOW } from "./limits.ts";
import type { QuotaNews } from "./quota.ts";

/** What is known of a quota. Moments are milliseconds of a clock that never jumps. */
export interface Standing {
  limit: number | null;
  remaining: number | null;
  resetsAt: number | null;
  blockedUntil: number | null;
}

export const NOTHING_KNOWN: Standing = { limit: null, remaining: null, resetsAt: null, blockedUntil: null };

/** Ends of windows that are no further apart are of one window: trackers tell them in whole seconds. */
const SAME_WINDOW_MS = 10_000;
/** The same rules where all processes share what they know. */
export const STORED_BOUNDS = {
  sameWindowMs: SAME_WINDOW_MS,
  furthestMs: Math.max(LONGEST_BLOCK, LONGEST_WINDOW) + 60_000,
};
/** Of the whole window, what reading leaves for answers to people. */
const RESERVED_SHARE = 0.05;

/**
 * Takes in what an answer told, or what the other processes know. Within a window what is left only goes down, since
 * answers overtake one another; an older window tells nothing; a block is never shortened.
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

/** What the other processes are told. */
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
 * Milliseconds until a request may go out; 0 for at once. `spent` went out since the last answer. Reading leaves
 * `reserve` requests of a window, or a twentieth of a small one; where its size is not known, the next answer tells.
 */
export function waitOf(
  { limit, remaining, resetsAt, blockedUntil }: Standing,
  { kind, spent, reserve, now }: { kind: "read" | "write"; spent: number; reserve: number; now: number },
): number {
  const kept = kind === "write" || limit === null ? 0 : Math.min(reserve, Math.ceil(limit * RESERVED_SHARE));
  const usedUp = remaining !== null && resetsAt !== null && remaining - spent <= kept ? resetsAt - now : 0;
  return Math.max(0, usedUp, (blockedUntil ?? 0) - now);
}
