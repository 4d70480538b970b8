import { describe, expect, test } from "vitest";
import { factsOf, gap, message } from "../../test/support/cycle-facts.ts";
import { briefingOf, briefingText } from "./briefing.ts";
import { type CycleFacts, buildContext } from "./context.ts";
import type { CycleContext } from "./planner.ts";

function rendered(context: CycleContext): string {
  return briefingText(briefingOf(context, { boundary: "0123456789abcdef" }));
}

function prompt(total: number, change: Partial<CycleFacts> = {}): string {
  return rendered(buildContext(factsOf(total, change)));
}

function sharedPrefix(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

describe("the context of a cycle", () => {
  test.each([0, 10, 100, 1_000, 10_000])("of %d messages is bounded (R-PLAN-2, R-PLAN-11)", (total) => {
    const context = buildContext(factsOf(total));
    expect(context.messages.length).toBeLessThanOrEqual(100);
    expect(context.messages.length).toBeGreaterThanOrEqual(Math.min(total, 76));
    expect(context.messages.length + context.omittedMessages).toBe(total);
    expect(context.messages.at(-1)?.seq).toBe(total === 0 ? undefined : total);
    expect(rendered(context).length).toBeLessThan(30_000);
  });

  test("has the window that `total` alone decides, whatever was loaded", () => {
    for (let total = 95; total < 260; total += 1) {
      const first = buildContext(factsOf(total)).messages[0]?.seq;
      expect(first).toBe(total <= 100 ? 1 : Math.ceil((total - 100) / 25) * 25 + 1);
    }
  });

  test("is cut in the middle of enormous texts, with a mark", () => {
    const body = `begin ${"x".repeat(500_000)} end`;
    const facts = factsOf(100, { messages: Array.from({ length: 100 }, (_, index) => message(index + 1, body)) });
    const context = buildContext({ ...facts, issue: { ...facts.issue, body } });
    expect(context.issue.body).toMatch(/^begin x+\n\[… \d+ characters left out …\]\nx+ end$/);
    expect(context.messages[0]?.content).toMatch(/^begin x+\n\[… \d+ characters left out …\]\nx+ end$/);
    expect(rendered(context).length).toBeLessThan(1_000_000);
  });

  test("holds all open and pending gaps, and the last 10 closed ones", () => {
    const gaps = [
      ...Array.from({ length: 15 }, (_, index) => gap(index + 1, "closed")),
      ...Array.from({ length: 30 }, (_, index) => gap(index + 16, "open")),
      gap(46, "pending"),
    ];
    const context = buildContext(factsOf(10, { gaps }));
    expect(context.openGaps).toHaveLength(30);
    expect(context.pendingGaps.map((one) => one.number)).toEqual([46]);
    expect(context.closedGaps.map((one) => one.number)).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
  });
});

describe("the prompt's beginning stays from cycle to cycle (R-PLAN-11)", () => {
  test.each([
    [10, 11],
    [99, 100],
    [126, 127],
    [1_001, 1_003],
    [9_990, 9_995],
  ])("of %d and then %d messages, all but what is new", (before, after) => {
    const earlier = prompt(before, { gaps: [gap(1, "open")] });
    const later = prompt(after, { gaps: [gap(1, "closed"), gap(2, "open")], failures: ["FAILED: x"] });
    expect(sharedPrefix(earlier, later) / earlier.length).toBeGreaterThan(before < 20 ? 0.8 : 0.95);
  });

  test("over a long life, most of what is sent was sent before", () => {
    let [sent, same] = [0, 0];
    for (let total = 100; total < 300; total += 2) {
      const earlier = prompt(total);
      const later = prompt(total + 2);
      sent += later.length;
      same += sharedPrefix(earlier, later);
    }
    expect(same / sent).toBeGreaterThan(0.85);
  });
});
