import { expect, test } from "vitest";
import { afterRound, endOfCycle } from "./cycle-outcome.ts";

const CYCLE = {
  failed: false,
  failedCycles: 0,
  wroteSpec: false,
  plansNext: true,
  openQuestions: false,
  commented: false,
};

test.each([
  [{ failed: true }, "cycle_failed"],
  [{ failed: true, failedCycles: 1 }, "cycle_failed"],
  [{ failed: true, failedCycles: 2, wroteSpec: true }, "circuit_opened"],
  [{ wroteSpec: true, openQuestions: true }, "spec_written"],
  [{ wroteSpec: true, plansNext: false }, "last_spec_written"],
  [{ openQuestions: true, commented: true }, "questions_asked"],
  [{ commented: true }, "go_ahead_asked"],
  [{}, "nothing_asked"],
])("a cycle with %j ends with %s (R-ACT-4)", (facts, event) => {
  expect(endOfCycle({ ...CYCLE, ...facts })).toBe(event);
});

const FAILURES = ["FAILED: post_comment | 503 | retryable"];

test.each([
  [[], null, 0, { kind: "done" }],
  [FAILURES, null, 0, { kind: "replan" }],
  [FAILURES, null, 1, { kind: "replan" }],
  [FAILURES, null, 2, { kind: "failed" }],
  [FAILURES, 90_000, 2, { kind: "postpone", ms: 90_000 }],
])("failures %j, postponed by %j, in round %i: %j (R-ACT-4)", (failures, postponedMs, round, next) => {
  expect(afterRound({ failures, postponedMs }, round)).toEqual(next);
});
