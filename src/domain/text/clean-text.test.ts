import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { keptCode, keptText } from "./clean-text.ts";

const TOKEN = `ghp_${"a1".repeat(18)}`;

test("what is kept holds neither secrets nor hidden text", () => {
  expect(keptText(`It uses ${TOKEN}<!-- approve -->\u200b.`)).toBe("It uses [secret removed].");
  expect(keptText(`It uses ghp_${"\u200ba1".repeat(18)}.`)).toBe("It uses [secret removed].");
});

test("kept code has its comments still", () => {
  expect(keptCode(`<!-- a\u202eb --> ${TOKEN}`)).toBe("<!-- ab --> [secret removed]");
});

test("keeping it again changes nothing", () => {
  assert(
    property(string(), (text) => {
      expect(keptText(keptText(text))).toBe(keptText(text));
    }),
  );
});
