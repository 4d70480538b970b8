import { expect, test } from "vitest";
import { withoutClosing, withoutSkips } from "./closing-keywords.ts";

test.each([
  ["closes #99", "closes – #99"],
  ["Fixes: #99, #100 and resolves acme/shop#3", "Fixes: – #99, #100 and resolves – acme/shop#3"],
  ["FIXED GH-12", "FIXED – GH-12"],
  ["closes issue #4", "closes – issue #4"],
  ["implements https://git.example/a/b/-/issues/4", "implements – https://git.example/a/b/-/issues/4"],
  ["`closes #99`", "`closes – #99`"],
  ["closes `#99`", "closes – `#99`"],
  ["close!4", "close – !4"],
  ["resolves ABC-12", "resolves – ABC-12"],
])("a word that would close an issue does not: %s", (text, expected) => {
  expect(withoutClosing(text)).toBe(expected);
  expect(withoutClosing(expected)).toBe(expected);
});

test.each(["It closes the file.", "see #99", "fix utf-8", "prefixes #99 with a sign", "the fix in total.ts", "closed"])(
  "what closes nothing stays as it is: %s",
  (text) => {
    expect(withoutClosing(text)).toBe(text);
  },
);

test("texts made to be slow are not", () => {
  const text = "fix-".repeat(20_000);
  expect(withoutClosing(text)).toBe(text);
});

test.each([
  ["Totals [skip ci] are wrong", "Totals [ skip ci] are wrong"],
  ["[CI SKIP] [no ci] [skip actions]", "[ CI SKIP] [ no ci] [ skip actions]"],
  ["skip-checks: true", "skip-checks = true"],
  ["***NO_CI***", "NO_CI"],
  ["[skip] the ci", "[skip] the ci"],
])("a word that would skip checks does not: %s", (text, expected) => {
  expect(withoutSkips(text)).toBe(expected);
  expect(withoutSkips(expected)).toBe(expected);
});
