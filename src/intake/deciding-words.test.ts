import { expect, test } from "vitest";
import type { EventKind } from "../domain/event.ts";
import type { IssueState } from "../domain/lifecycle.ts";
import { areDeciding, haltsUnread, mayHalt } from "./deciding-words.ts";

test.each<[string, IssueState]>([
  ["go ahead", "awaiting_proceed"],
  ["Yes, please.", "awaiting_proceed"],
  ["No, not yet.", "awaiting_proceed"],
  ["да, пиши спецификацию", "awaiting_proceed"],
  ["Go ahead with the assumptions.", "clarifying"],
  ["Stop, please.", "clarifying"],
  ["Stop! This deletes customer data.", "stuck"],
  ["Please stop, the plan is wrong.", "in_review"],
])("“%s” decides while the issue is %s (R-LIFE-10)", (text, state) => {
  expect(areDeciding(text, state)).toBe(true);
});

test.each<[string, IssueState]>([
  ["1. Add nothing to the cart.\n2. It should be 0.", "clarifying"],
  ["No", "clarifying"],
  ["yes", "clarifying"],
  ["Thanks!", "awaiting_proceed"],
  ["Should it round, too?", "awaiting_proceed"],
  ["> go ahead\n\nThanks.", "awaiting_proceed"],
  ["Please rename the function.", "in_review"],
  ["Use the second way.", "stuck"],
])("“%s” decides nothing while the issue is %s: the quiet wait holds", (text, state) => {
  expect(areDeciding(text, state)).toBe(false);
});

test.each<[boolean, EventKind, string | null, boolean]>([
  [true, "closed", null, false],
  [true, "unassigned", null, false],
  [true, "commented", "Stop!", false],
  [true, "comment_edited", "No, the plan is wrong.", false],
  [false, "commented", "Stop!", true],
  [false, "commented", "Stopped, as asked.\n\n<!-- relay:stopped:1 -->", false],
  [false, "commented", "Yes, go ahead.", false],
  [true, "comment_edited", "Let me read it first.", false],
  [true, "comment_deleted", "Yes, go ahead.", false],
  [true, "edited", "It must print 0.", false],
  [false, "comment_deleted", "Stop!", false],
  [false, "comment_deleted", "Work has started.\n\n<!-- relay:started:1 -->", false],
  [false, "comment_edited", "Yes, go ahead.", false],
  [false, "comment_edited", "Build 7 passed", true],
  [false, "edited", "It must print 0.", true],
  [false, "opened", "Please stop the crash.", false],
  [false, "reopened", null, false],
])("%s: %s %j, by a bot: %s", (halts, kind, text, actorIsBot) => {
  const event = { kind, text, actor: "mia", actorIsBot };
  expect(mayHalt(event)).toBe(halts);
  // Unread, it is the same, or not known.
  expect([null, halts]).toContain(haltsUnread(event));
});

test("what is found without a delivery may halt: nobody knows yet what it is", () => {
  expect(mayHalt({ kind: "edited", text: null, actor: "", actorIsBot: false })).toBe(true);
});
