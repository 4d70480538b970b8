/** How writes are spaced, in milliseconds. */
export interface Spacing {
  /** From one write to the next, once a burst is over. */
  interval: number;
  /** How much earlier than its turn a write may come. */
  tolerance: number;
  /** The longest wait for a turn. */
  patience: number;
}

const MINUTE = 60_000;

/** For the minutes. */
export function spacingOf({ perMinute, burst }: { perMinute: number; burst: number }, patience: number): Spacing {
  return spacingIn(MINUTE, perMinute, burst, patience);
}

/** For the hours: half of one may go out as fast as the minutes let it, so that a busy quarter of an hour is none too slow. */
export function hourlySpacing(perHour: number, patience: number): Spacing {
  return spacingIn(60 * MINUTE, perHour, Math.ceil(perHour / 2), patience);
}

/** A burst uses up its part of the window, so that no window has more than is allowed. */
function spacingIn(windowMs: number, most: number, burst: number, patience: number): Spacing {
  const atOnce = Math.max(1, Math.min(burst, most - 1));
  const interval = windowMs / Math.max(1, most - atOnce);
  return { interval, tolerance: (atOnce - 1) * interval, patience };
}

export type Turn = { kind: "taken"; waitMs: number } | { kind: "full"; waitMs: number };
