import { expect, test } from "vitest";
import { ISSUE_STATES } from "./lifecycle.ts";
import { STATE_LABELS, labelsFor } from "./state-labels.ts";

test("a state has at most one label, the others are taken off, and no foreign label is named (R-LIFE-5)", () => {
  for (const state of ISSUE_STATES) {
    const { add, remove } = labelsFor(state, STATE_LABELS);
    expect(add.length).toBeLessThanOrEqual(1);
    expect(new Set([...add, ...remove])).toEqual(new Set(Object.values(STATE_LABELS)));
  }
  expect(labelsFor("paused", STATE_LABELS).add).toEqual(["relay:stuck"]);
  expect(labelsFor("done", { ...STATE_LABELS, done: "fertig" }).add).toEqual(["fertig"]);
});
