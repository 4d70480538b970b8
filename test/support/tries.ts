/** With RELAY_TEST_RUNS=all, as before a release, tests leave nothing out. */
export const TRIES_ALL = process.env["RELAY_TEST_RUNS"] === "all";
/** Tests that try very much try a fifth of it where people wait for them. */
const SHARE = TRIES_ALL ? 1 : 5;

/** How often a test tries what chance gives it, at most `many` times. */
export function triesOf(many: number): number {
  return Math.ceil(many / SHARE);
}

/** Those of a list that a test tries. */
export function some<T>(all: readonly T[]): T[] {
  return all.filter((_, at) => at % SHARE === 0);
}
