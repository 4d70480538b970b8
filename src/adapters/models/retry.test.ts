import { expect, test } from "vitest";
import { failure } from "./failure.ts";
import { DEFAULT_RETRY, waitBeforeRetry } from "./retry.ts";

const overloaded = failure("overloaded", "x/y", { detail: "busy" });
const first = { attempt: 1, elapsedMs: 0, random: 0.5 };

test("waits double, up to a bound, and are spread by chance", () => {
  const policy = { ...DEFAULT_RETRY, attempts: 20, totalMs: 1e9 };
  const waits = (random: number) =>
    [1, 2, 3, 9].map((attempt) => waitBeforeRetry(overloaded, { ...first, attempt, random }, policy));
  expect(waits(0)).toEqual([500, 1_000, 2_000, 15_000]);
  expect(waits(1)).toEqual([1_000, 2_000, 4_000, 30_000]);
});

test("nobody is asked again before the time that it asked for", () => {
  const busy = failure("rate_limited", "x/y", { detail: "", retryAfterMs: 20_000 });
  expect(waitBeforeRetry(busy, first, DEFAULT_RETRY)).toBe(20_000);
  expect(waitBeforeRetry({ ...busy, retryAfterMs: 1 }, first, DEFAULT_RETRY)).toBe(750);
});

test("who asks for too long a time is left alone", () => {
  const busy = failure("rate_limited", "x/y", { detail: "", retryAfterMs: 60_001 });
  expect(waitBeforeRetry(busy, first, DEFAULT_RETRY)).toBeNull();
});

test("there is an end to it, by number and by time", () => {
  expect(waitBeforeRetry(overloaded, { ...first, attempt: 4 }, DEFAULT_RETRY)).toBeNull();
  expect(waitBeforeRetry(overloaded, { ...first, elapsedMs: 179_500 }, DEFAULT_RETRY)).toBeNull();
});

test.each(["auth", "no_credit", "not_found", "bad_request", "too_long", "invalid_answer"] as const)(
  "%s is never tried again",
  (kind) => {
    expect(waitBeforeRetry(failure(kind, "x/y", { detail: "" }), first, DEFAULT_RETRY)).toBeNull();
  },
);
