import { expect, test } from "vitest";
import { RelayError } from "../lib/errors.ts";
import { silentLog } from "../lib/log.ts";
import { retryUntil } from "./retry-until.ts";

/** A minute of patience, whose time passes only by waiting. */
function minute() {
  const waits: number[] = [];
  const passed = () => waits.reduce((sum, ms) => sum + ms, 0);
  const sleep = async (ms: number) => {
    waits.push(ms);
    await Promise.resolve();
  };
  return { waits, patience: { clock: { now: () => new Date(passed()) }, sleep, log: silentLog, forMs: 60_000 } };
}

const down = new RelayError("unavailable", "the database does not answer");

test("what comes up in time is waited for, longer and longer", async () => {
  const { waits, patience } = minute();
  let tries = 0;
  const opened = retryUntil(async () => {
    tries += 1;
    return tries === 7 ? "open" : await Promise.reject(down);
  }, patience);
  expect(await opened).toBe("open");
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000]);
});

test("what stays away for longer than that is told", async () => {
  const { waits, patience } = minute();
  await expect(retryUntil(async () => await Promise.reject(down), patience)).rejects.toBe(down);
  const waited = waits.reduce((sum, ms) => sum + ms, 0);
  expect(waited).toBeLessThanOrEqual(60_000);
  expect(waited).toBeGreaterThan(54_000);
});

test("what no waiting can mend is told at once", async () => {
  for (const error of [new RelayError("config", "the database refuses"), new TypeError("a fault of the program")]) {
    const { waits, patience } = minute();
    await expect(retryUntil(async () => await Promise.reject(error), patience)).rejects.toBe(error);
    expect(waits).toEqual([]);
  }
});
