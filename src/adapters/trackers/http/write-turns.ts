/** How writes are spaced, in milliseconds. */
export interface Spacing {
  /** Between two writes, once a burst is over. */
  interval: number;
  /** How much earlier than its turn a write may be sent. */
  tolerance: number;
  /** The longest wait for a turn. */
  patience: number;
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
  return { interval, tolerance: (atOnce - 1) * interval, patience };
}

export type Turn = { kind: "taken"; waitMs: number } | { kind: "full"; waitMs: number };
