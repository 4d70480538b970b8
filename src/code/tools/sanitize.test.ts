import { assert, integer, property, string } from "fast-check";
import { expect, test } from "vitest";
import { shownPath, shownText, withoutKeys } from "./sanitize.ts";

const TOKEN = `ghp_${"a1B2".repeat(9)}`;

test("any text is shown on one line, within the limit, without what hides or controls", () => {
  assert(
    property(string({ unit: "binary", maxLength: 900 }), integer({ min: 0, max: 900 }), (text, at) => {
      const shown = shownText(text, 100, at);
      expect(shown.length).toBeLessThanOrEqual(100);
      expect(shown).not.toMatch(/[\r\n\u2028\u2029\u202e\u200b]/);
      expect(shown.isWellFormed()).toBe(true);
      expect(shownPath(text).length).toBeLessThanOrEqual(300);
    }),
  );
});

test("the cut goes around the match, also where a secret or hidden text stands before it", () => {
  const before = `${TOKEN} ${"\u200b".repeat(50)}${"a ".repeat(500)}`;
  const line = `${before}match${" b".repeat(500)}`;
  expect(shownText(line, 100, before.length)).toMatch(/^….{20,40}match.{40,70}…$/);
  expect(shownText(`${"a ".repeat(500)}${TOKEN}${" b".repeat(500)}`, 100, 1_010)).toContain("[secret removed]");
});

test("a secret at the edge of the cut is gone as a whole", () => {
  for (let shift = 0; shift < 60; shift += 1) {
    const line = `match ${"x ".repeat(20)}${"y".repeat(shift)} ${TOKEN} ${"z ".repeat(100)}`;
    expect(shownText(line, 100, 0)).not.toMatch(/ghp_|a1B2/);
  }
});

test("only lines of a key are masked, and none is lost", () => {
  const key = ["-----BEGIN PRIVATE KEY-----", "  MIIEvQIBADANBgkq", "QUJD==", "-----END PRIVATE KEY-----", "after"];
  expect(withoutKeys(key)).toEqual([key[0], "[secret removed]", "[secret removed]", key[3], "after"]);
  const code = ['const BEGIN = "-----BEGIN PRIVATE KEY-----";', "export function read(text: string) {", "}"];
  expect(withoutKeys(code)).toEqual(code);
});
