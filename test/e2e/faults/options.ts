import { randomInt } from "node:crypto";

/*
 * RELAY_TEST_DELIVERIES says how long the stories of a serving Relay are, RELAY_TEST_ISSUES how many issues they have,
 * RELAY_TEST_PACE_MS how fast people are, RELAY_TEST_PROCESSES how many share a database, 2 or 4, RELAY_TEST_SEED how
 * all falls out; a failure names the seed that repeats it. With RELAY_TEST_KILL_MS a process is killed each time that so
 * many milliseconds are over, whatever happens, and only so.
 */
export const SEED = Number(process.env["RELAY_TEST_SEED"] ?? randomInt(1_000_000));

/** Minutes long, and told by other things each time: for `npm run test:faults`, which says how many deliveries. */
export const STORIES_ASKED_FOR = process.env["RELAY_TEST_DELIVERIES"] !== undefined;

export function storySize(usual: number) {
  const acts = Number(process.env["RELAY_TEST_DELIVERIES"] ?? usual);
  return {
    seed: SEED,
    acts,
    issues: Number(process.env["RELAY_TEST_ISSUES"] ?? Math.max(6, Math.ceil(acts / 50))),
    processes: Number(process.env["RELAY_TEST_PROCESSES"] ?? (acts < 500 ? 2 : 4)),
    kills: acts < 100 ? Math.ceil(acts / 20) : Math.ceil(acts / 10),
    killEveryMs: Number(process.env["RELAY_TEST_KILL_MS"] ?? 0),
    paceMs: Number(process.env["RELAY_TEST_PACE_MS"] ?? 100),
  };
}
