import { expect, test } from "vitest";
import { RelayError, Postponed } from "../../lib/errors.ts";
import { retryAfter, waitAfterRelease } from "./retry.ts";

const down = new RelayError("unavailable", "the tracker is down");
const waits = (error: unknown) =>
  Array.from({ length: 11 }, (_, failures) => retryAfter(error, { failures, retryCount: failures })).map((retry) =>
    retry.kind === "retry" ? retry.waitMs / 1_000 : null,
  );

test("the backoff doubles from one second to five minutes", () => {
  expect(waits(down)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  expect(waits(new TypeError("a fault of the program"))).toEqual(waits(down));
});

test("a job that is asked to wait waits that long, at most six hours, and has not failed", () => {
  const limited = (retryAfterMs: number) =>
    retryAfter(new RelayError("rate_limited", "too many requests", { retryAfterMs }), { failures: 3, retryCount: 7 });
  expect(limited(5_000)).toMatchObject({ waitMs: 5_000, failures: 3 });
  expect(limited(86_400_000)).toMatchObject({ waitMs: 6 * 3_600_000, failures: 3 });
});

test("a job is given up after a hundred tries, but for transient failures", () => {
  const tried = { failures: 100, retryCount: 100 };
  expect(retryAfter(new TypeError("a fault of the program"), tried)).toEqual({ kind: "give up" });
  expect(retryAfter(down, tried)).toMatchObject({ kind: "retry", failures: 101 });
});

test("a job whose processes die is released at once four times, then after up to half a minute", () => {
  expect([0, 3, 4, 5, 8, 9, 50].map(waitAfterRelease)).toEqual([50, 50, 1_000, 2_000, 16_000, 30_000, 30_000]);
});

test("a job that waits its turn is no warning; an outage is one, and a fault of the program is an error", () => {
  const levelOf = (error: unknown) => {
    const retry = retryAfter(error, { failures: 0, retryCount: 0 });
    return retry.kind === "retry" ? retry.level : retry.kind;
  };
  const busy = { retryable: true, retryAfterMs: 3_000 };
  expect(levelOf(new RelayError("conflict", "the issue is being worked on", busy))).toBe("debug");
  expect(levelOf(new Postponed("a stop is heard first", { retryAfterMs: 1_000 }))).toBe("debug");
  expect(levelOf(new Postponed("may have been posted", { retryAfterMs: 1_000, cause: down }))).toBe("warn");
  expect(levelOf(new RelayError("conflict", "somebody pushed", { retryable: true }))).toBe("warn");
  expect(levelOf(down)).toBe("warn");
  expect(levelOf(new TypeError("a fault of the program"))).toBe("error");
});
