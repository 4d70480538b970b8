import { describe, expect, test } from "vitest";
import { canBeGoAhead } from "./go-ahead.ts";

describe("unasked, a message can be a go-ahead", () => {
  test.each([
    "Go ahead.",
    "It prints 3. Go ahead.",
    "yes, all of the above is right, so please go ahead and write it",
    "Yes, use the default for 2, and go ahead.",
    "Use B and go ahead with the spec please",
    "Leg los!",
  ])("when it says so: %j", (text) => {
    expect(canBeGoAhead(text, { asked: false })).toBe(true);
  });

  test.each([
    "It prints 3",
    "yes",
    "1. yes\n2. no",
    "Don't go ahead",
    "Did it go ahead?",
    "Wait, go ahead? No.",
    "> go ahead\n\nwho says so",
    "`go ahead` is what it prints",
    "evet, devam et",
  ])("but not when it does not: %j", (text) => {
    expect(canBeGoAhead(text, { asked: false })).toBe(false);
  });
});

describe("after Relay asked, a message can be a go-ahead", () => {
  test.each(["yes", "ok but use option B", "evet, devam et", "Sounds good. Go with option B."])(
    "when it says %j",
    (text) => {
      expect(canBeGoAhead(text, { asked: true })).toBe(true);
    },
  );

  test.each(["no", "Not yet", "what would it change?", "hold on, please", "stop", "x ".repeat(20_000)])(
    "but not when it says %j",
    (text) => {
      expect(canBeGoAhead(text, { asked: true })).toBe(false);
    },
  );
});
