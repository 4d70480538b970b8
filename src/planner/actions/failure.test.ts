import { expect, test } from "vitest";
import { RelayError } from "../../lib/errors.ts";
import { PartError, failureLine, failureOf } from "./failure.ts";

test.each([
  [new RelayError("unavailable", "down", { status: 503 }), "FAILED: update_gaps | 503 | retryable"],
  [new RelayError("rate_limited", "slow", { status: 429 }), "FAILED: update_gaps | 429 | retryable"],
  [new RelayError("timeout", "no answer"), "FAILED: update_gaps | timeout | retryable"],
  [new RelayError("forbidden", "locked", { status: 403 }), "FAILED: update_gaps | 403 | permanent"],
  [new PartError("not_found", "gap_123", "no gap 123"), "FAILED: update_gaps[gap_123] | not found | permanent"],
  [
    new RelayError("too_large", "the spec is\nover 200 KiB"),
    "FAILED: update_gaps | the spec is over 200 KiB | permanent",
  ],
])("%s is told as %j", (error, line) => {
  expect(failureLine(failureOf("update_gaps", error))).toBe(line);
});
