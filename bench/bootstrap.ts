// Means and their 95 % intervals by bootstrap, for `bench/explore.ts`. Seeded: the same numbers give the same interval.
const RESAMPLES = 2_000;
const SEED = 20_240_229;

export function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);
}

/** The 2.5th and 97.5th percentile of the means of samples drawn with replacement; zeros without numbers. */
export function interval(numbers: readonly number[]): [low: number, high: number] {
  if (numbers.length === 0) return [0, 0];
  const random = randomFrom(SEED);
  const means = Array.from({ length: RESAMPLES }, () =>
    mean(numbers.map(() => numbers[Math.floor(random() * numbers.length)] ?? 0)),
  ).toSorted((a, b) => a - b);
  const at = (share: number) => means[Math.floor(share * (RESAMPLES - 1))] ?? 0;
  return [at(0.025), at(0.975)];
}

/** Numbers from 0 to 1, by the Mulberry32 generator. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
