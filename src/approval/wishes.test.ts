import { describe, expect, test } from "vitest";
import { asksForChange, firstOwnLine, isWish, wishesAmong } from "./wishes.ts";

test.each([
  "Looks good, but the same happens in b.ts. Please fix that here as well, with a test.",
  "Use a Map instead",
  "Also handle undefined.",
  "No. Use a Map instead.",
  "Could you also add a test?",
  "Можешь ещё добавить тест?",
  "Könntest du auch undefined behandeln?",
  "¿Podrías añadir una prueba?",
  "テストも追加してもらえますか？",
])("%j asks for a change", (words) => {
  expect(asksForChange(words)).toBe(true);
});

test.each([
  "yes",
  "no",
  "👍",
  "thanks!",
  "stop",
  "Why do you change a.ts?",
  "Could you explain step 2?",
  "> use a Map",
])("%j asks for none", (words) => {
  expect(asksForChange(words)).toBe(false);
});

test("a question may be a wish, and is left to who can read it", () => {
  expect(isWish("Why not a Map?")).toBe(true);
  expect(isWish("yes")).toBe(false);
});

describe("the wishes in force", () => {
  const said = (...all: [content: string, decides: boolean][]) =>
    wishesAmong(all.map(([content, decides], at) => ({ seq: at + 1, content, decides })));

  test("are those of people who decide", () => {
    expect(said(["Use a Map.", true], ["Drop the README.", false], ["ok, thanks", true])).toEqual([1]);
  });

  test("end with a refusal, which only who decides can give", () => {
    expect(said(["Use a Map.", true], ["stop", true])).toEqual([]);
    expect(said(["Use a Map.", true], ["no", false])).toEqual([1]);
    expect(said(["Use a Map.", true], ["no", true], ["Use a Set.", true])).toEqual([3]);
  });
});

test("the first line in somebody's own words is found as written", () => {
  expect(firstOwnLine("> Shall I?\n\n`x`\n  Use *a* `Map` here.\nAnd test it.")).toBe("Use *a* `Map` here.");
  expect(firstOwnLine("> quoted\n\n```\ncode\n```")).toBeNull();
});
