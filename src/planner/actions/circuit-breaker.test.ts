import { expect, test } from "vitest";
import { breakerDecision } from "./circuit-breaker.ts";

const failures = ["FAILED: post_comment | 503 | retryable"];

test.each([
  [[], null, 0, 2, { kind: "go_on" }],
  [failures, null, 0, 0, { kind: "replan", failures }],
  [failures, null, 1, 2, { kind: "replan", failures }],
  [failures, null, 2, 0, { kind: "failed", failures, failedCycles: 1 }],
  [failures, null, 2, 1, { kind: "failed", failures, failedCycles: 2 }],
  [failures, null, 2, 2, { kind: "pause", failures, failedCycles: 3 }],
  [failures, 90_000, 2, 2, { kind: "postpone", ms: 90_000 }],
])(
  "failures %j, postponed by %j, in round %i after %i failed cycles: %j",
  (lines, postponedMs, round, failedCycles, verdict) => {
    expect(breakerDecision({ failures: lines, postponedMs }, { round, failedCycles })).toEqual(verdict);
  },
);
