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

test("R-LIFE-5: an empty name is no label, and a former name is taken off", () => {
  const names = { ...STATE_LABELS, review: "", stuck: "bot: help" };
  expect(labelsFor("in_review", names, ["relay:review"])).toEqual({
    add: [],
    remove: ["relay:in-progress", "bot: help", "relay:done", "relay:review"],
  });
  expect(labelsFor("stuck", names, ["relay:stuck"]).add).toEqual(["bot: help"]);
  expect(labelsFor("stuck", { ...names, done: "bot: help" }).remove).not.toContain("bot: help");
});
