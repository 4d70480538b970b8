/** Chance that comes out the same for the same seed. */
export interface Rng {
  /** From 0 up to 1. */
  roll(): number;
  /** True so often. */
  odds(of: number): boolean;
  /** One of them. */
  pick<T>(all: readonly [T, ...T[]]): T;
  /** One of them, or undefined where there is none. */
  any<T>(all: readonly T[]): T | undefined;
}

/** Mulberry32. */
export function rngOf(seed: number): Rng {
  let state = seed;
  const roll = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    roll,
    odds: (of) => roll() < of,
    pick: (all) => all[Math.floor(roll() * all.length)] ?? all[0],
    any: (all) => all[Math.floor(roll() * all.length)],
  };
}
