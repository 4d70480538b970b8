import { expect, test } from "vitest";
import { countTokens, exceedsTokens } from "./tokens.ts";

test("counts words, and text that looks like a control token as the text it is", async () => {
  expect(await countTokens("")).toBe(0);
  expect(await countTokens("hello world")).toBe(2);
  expect(await countTokens("<|endoftext|>")).toBeGreaterThan(1);
});

test("long texts without a space, in any script, are counted", async () => {
  for (const text of ["a".repeat(200_000), "漢字".repeat(50_000), " ".repeat(200_000), "\ud800".repeat(5_000)]) {
    expect(await countTokens(text)).toBeGreaterThan(100);
  }
});

test("tells whether a text is over a limit, at the limit", async () => {
  const text = "one two three four ".repeat(500);
  const tokens = await countTokens(text);
  expect(await exceedsTokens(text, tokens)).toBe(false);
  expect(await exceedsTokens(text, tokens - 1)).toBe(true);
  expect(await exceedsTokens("short", 100)).toBe(false);
});
