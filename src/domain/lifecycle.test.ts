import { describe, expect, test } from "vitest";
import { RelayError } from "../lib/errors.ts";
import type { IssueState } from "./lifecycle.ts";
import { canTransition, checkTransition, ISSUE_STATES, labelsFor, resumeState, STATE_LABELS } from "./lifecycle.ts";

/** The diagram of the requirements, written out a second time on purpose. */
const ALLOWED: Record<IssueState, IssueState[]> = {
  pending_plan: ["planning"],
  planning: ["pending_plan", "clarifying", "awaiting_proceed", "specifying", "waiting_confirmation", "queued", "done"],
  clarifying: ["planning"],
  awaiting_proceed: ["planning"],
  specifying: ["planning", "awaiting_proceed", "waiting_confirmation", "done"],
  waiting_confirmation: ["planning", "queued", "done"],
  queued: ["waiting_confirmation", "in_progress", "done"],
  in_progress: ["queued", "waiting_confirmation", "in_review", "stuck", "failed", "done"],
  in_review: ["planning", "queued", "in_progress", "done"],
  done: ["planning", "waiting_confirmation"],
  stuck: ["planning", "waiting_confirmation", "queued", "done"],
  failed: ["planning", "waiting_confirmation", "queued", "done"],
  paused: ["pending_plan"],
  closed: ["pending_plan"],
};

describe.each(ISSUE_STATES)("from %s", (from) => {
  test.each(ISSUE_STATES.filter((to) => to !== from))("to %s", (to) => {
    const always = to === "closed" || (to === "paused" && from !== "closed");
    const allowed = always || ALLOWED[from].includes(to);
    expect(canTransition(from, to)).toBe(allowed);
    if (allowed) return;
    expect(() => checkTransition("local/shop#7", from, to)).toThrow(
      new RelayError("illegal_transition", `issue local/shop#7 cannot go from ${from} to ${to}`),
    );
  });

  test("to itself is no transition", () => {
    expect(canTransition(from, from)).toBe(false);
  });
});

test.each(["paused", "closed"] as const)("%s is left only for the state that was stored", (from) => {
  for (const stored of ISSUE_STATES.filter((state) => state !== "paused" && state !== "closed")) {
    for (const to of ISSUE_STATES.filter((state) => state !== from && state !== "closed")) {
      expect(canTransition(from, to, stored)).toBe(to === stored);
    }
  }
});

test("an interrupted piece of work goes back to the wait before it, a wait to itself", () => {
  expect(resumeState("planning")).toBe("pending_plan");
  expect(resumeState("specifying")).toBe("pending_plan");
  expect(resumeState("in_progress")).toBe("queued");
  expect(resumeState("clarifying")).toBe("clarifying");
  expect(resumeState("done")).toBe("done");
});

test("a state has at most one label, the others are taken off, and no foreign label is named (R-LIFE-5)", () => {
  for (const state of ISSUE_STATES) {
    const { add, remove } = labelsFor(state, STATE_LABELS);
    expect(add.length).toBeLessThanOrEqual(1);
    expect(new Set([...add, ...remove])).toEqual(new Set(Object.values(STATE_LABELS)));
  }
  expect(labelsFor("paused", STATE_LABELS).add).toEqual(["relay:stuck"]);
  expect(labelsFor("done", { ...STATE_LABELS, done: "fertig" }).add).toEqual(["fertig"]);
});
