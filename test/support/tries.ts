/** Tests that try very much try a fifth of it in `npm test`, which people wait for, and all of it with RELAY_TEST_RUNS=all. */
const SHARE = process.env["RELAY_TEST_RUNS"] === "all" ? 1 : 5;

/** How often a test tries what chance gives it, at most `many` times. */
export function triesOf(many: number): number {
  return Math.ceil(many / SHARE);
}

/** Those of a list that a test tries. */
export function some<T>(all: readonly T[]): T[] {
  return all.filter((_, at) => at % SHARE === 0);
}
