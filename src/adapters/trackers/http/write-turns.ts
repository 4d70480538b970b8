import type { Priority } from "../../../lib/priority.ts";

/** How writes are spaced, in milliseconds. */
export interface Spacing {
  /** Between two writes, once a burst is over. */
  interval: number;
  /** How much earlier than its turn a write may be sent; below 0, how much later at the earliest. */
  tolerance: number;
  /** The longest wait for a turn. */
  patience: number;
  /** No turn that was taken lies further ahead. */
  furthest: number;
}

const MINUTE = 60_000;

/** For the minutes. */
export function spacingOf({ perMinute, burst }: { perMinute: number; burst: number }, patience: number): Spacing {
  return spacingIn(MINUTE, perMinute, burst, patience);
}

/** For the hours: half of an hour's writes may go out at the per-minute rate, so that a short peak is not slowed. */
export function hourlySpacing(perHour: number, patience: number): Spacing {
  return spacingIn(60 * MINUTE, perHour, Math.ceil(perHour / 2), patience);
}

/** A burst counts against its window, so that no window exceeds the limit. */
function spacingIn(windowMs: number, most: number, burst: number, patience: number): Spacing {
  const atOnce = Math.max(1, Math.min(burst, most - 1));
  const interval = windowMs / Math.max(1, most - atOnce);
  const tolerance = (atOnce - 1) * interval;
  return { interval, tolerance, patience, furthest: tolerance + FIRST_PATIENCE * patience + interval };
}

/**
 * How much longer a direct write that goes first may wait for a turn: it is not refused when other direct writes fill
 * the line.
 */
const FIRST_PATIENCE = 2;

/** Shares of a burst: the one that only `direct` writes may take, and the one that `background` writes may take. */
const DIRECT_SHARE = 1 / 5;
const BACKGROUND_SHARE = 2 / 5;

/**
 * The spacing of one priority among all (R-SCALE-2). Writes sent ahead of their turn delay all later writes: so while
 * more urgent ones came early or wait, less urgent ones get no turn. Background writes take none ahead of its time.
 */
export function spacingFor(priority: Priority, spacing: Spacing, first = false): Spacing {
  const { interval, tolerance } = spacing;
  const atOnce = Math.round(tolerance / interval) + 1;
  if (priority === "direct") return first ? { ...spacing, patience: FIRST_PATIENCE * spacing.patience } : spacing;
  if (priority === "normal") return { ...spacing, tolerance: tolerance - Math.floor(atOnce * DIRECT_SHARE) * interval };
  return { ...spacing, tolerance: (Math.floor(atOnce * BACKGROUND_SHARE) - 1) * interval, patience: 0 };
}

export type Turn = { kind: "taken"; waitMs: number } | { kind: "full"; waitMs: number };
