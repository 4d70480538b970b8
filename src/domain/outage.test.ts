import { expect, test } from "vitest";
import { type Outage, type Trouble, isLong, nextOutage } from "./outage.ts";

const BEGUN = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(BEGUN + seconds * 1_000);
const overloaded: Trouble = { of: "model", why: "the model is overloaded (529)", retryAfterMs: null };

/** All attempts at a model that stays away, each at the end of the wait before it. */
function attempts(trouble: Trouble): Outage[] {
  const all: Outage[] = [];
  let last: Outage | null = nextOutage(null, trouble, at(0));
  while (last !== null) {
    all.push(last);
    last = nextOutage(last, trouble, last.until);
  }
  return all;
}

const waitsOf = (all: readonly Outage[]) =>
  all.map(({ until }, n) => (until.getTime() - (all[n - 1]?.until.getTime() ?? BEGUN)) / 1_000);

test("the waits double up to ten minutes, and end after a day (R-WORK-15)", () => {
  const all = attempts(overloaded);
  expect(waitsOf(all).slice(0, 8)).toEqual([30, 60, 120, 240, 480, 600, 600, 600]);
  expect(all.every(({ since }) => since.getTime() === BEGUN)).toBe(true);
  const last = all.at(-1)?.until.getTime() ?? 0;
  expect(last - BEGUN).toBeGreaterThanOrEqual(24 * 3_600_000);
  expect(last - BEGUN).toBeLessThan(25 * 3_600_000);
});

test("what the server asks for counts where it is longer, up to an hour", () => {
  const asks = (seconds: number) => nextOutage(null, { ...overloaded, retryAfterMs: seconds * 1_000 }, at(0))?.until;
  expect([0, 5, 45, 3_000, 86_400].map(asks)).toEqual([30, 30, 45, 3_000, 3_600].map(at));
});

test("an outage concerns people after an hour", () => {
  const outage = nextOutage(null, overloaded, at(0));
  expect(outage).not.toBeNull();
  expect([0, 3_599, 3_600].map((seconds) => outage !== null && isLong(outage, at(seconds)))).toEqual([
    false,
    false,
    true,
  ]);
});
