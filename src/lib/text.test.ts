import { assert, integer, property, string } from "fast-check";
import { expect, test } from "vitest";
import { markdownParser } from "./markdown.ts";
import { blockquote, codeSpan, cut, cutAtWord, escapeRegExp, isFragment, isRecord, oneLine } from "./text.ts";

test("one line has no line breaks, no control characters, no double spaces", () => {
  expect(oneLine(" a\r\n\tb\u0007  c ")).toBe("a b c");
});

test("a cut text is never longer than asked for, never half a character, and says that it was cut", () => {
  assert(
    property(string({ unit: "binary" }), integer({ min: 1, max: 40 }), (text, most) => {
      const fits = text.length <= most;
      for (const shorter of [cut(text, most), cutAtWord(text, most)]) {
        expect(shorter.length).toBeLessThanOrEqual(most);
        expect(!text.isWellFormed() || shorter.isWellFormed()).toBe(true);
        expect(fits ? shorter === text : shorter.endsWith("…")).toBe(true);
      }
    }),
  );
  expect(cutAtWord("one two three four", 12)).toBe("one two…");
});

test.each(["0", "0.", "1,000.5", "`None`", "`a b c`", "Nothing", "合計"])("%j is no sentence", (text) => {
  expect(isFragment(text)).toBe(true);
});

test.each(["Return `0`", "It is kept", "合計を丸める", "Нет ошибки"])("%j may be a sentence", (text) => {
  expect(isFragment(text)).toBe(false);
});

test("a quotation marks every line", () => {
  expect(blockquote("a\n\nb")).toBe("> a\n> \n> b");
});

test("an escaped text matches itself alone", () => {
  expect(new RegExp(`^${escapeRegExp("a.b*(c)[d]")}$`).test("a.b*(c)[d]")).toBe(true);
  expect(new RegExp(`^${escapeRegExp("a.b")}$`).test("axb")).toBe(false);
});

test("records are objects, not arrays or null", () => {
  expect([{}, [], null, "a"].map(isRecord)).toEqual([true, false, false, false]);
});

test.each(["src/a.ts", "od`d.ts", "`a", "a`", "``", "a``b`c", " a ", "a\nb`", "git diff `x`"])(
  "%j is one code span for every reader of Markdown",
  (text) => {
    const inline = markdownParser.parseInline(`See ${codeSpan(text)}, and more`, {})[0]?.children ?? [];
    const code = inline.filter(({ type }) => type === "code_inline").map(({ content }) => content);
    expect(code).toEqual([text.replaceAll("\n", " ")]);
  },
);
