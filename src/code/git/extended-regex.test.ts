import { assert, property, string, stringMatching } from "fast-check";
import { expect, test } from "vitest";
import { extendedRegex, literalExpression } from "./extended-regex.ts";

test.each([
  [String.raw`\d+\.\w*`, String.raw`[0-9]+\.[[:alnum:]_]*`],
  [String.raw`(?:a|b)+?`, "(a|b)+"],
  [String.raw`[^\]\w.-]`, "[^][:alnum:]_.-]"],
  [String.raw`[\]]`, "[]]"],
  [String.raw`[\^]`, String.raw`\^`],
  [String.raw`[\s\-a-z]`, "[[:space:]a-z-]"],
  [String.raw`\S\t\/"`, '[^[:space:]]\t/"'],
  [String.raw`\bfoo\b`, String.raw`\bfoo\b`],
  ["[а-гx-z]", "[абвгx-z]"],
  ["interface{}", String.raw`interface\{\}`],
  ["a{2,3}?", "a{2,3}"],
])("%s is written %s", (source, expected) => {
  expect(extendedRegex(source)).toEqual({ kind: "expression", text: expected });
});

test.each([
  "",
  "a\nb",
  "(?=a)",
  "(?<n>a)",
  String.raw`(a)\1`,
  String.raw`\p{L}`,
  "a\\",
  "[a",
  "(a{100}){100}",
  "[\u0400-\uffff]",
  "[z-a]",
  "[а-я]".repeat(400),
  "a".repeat(1_001),
])("%j is refused with a reason", (source) => {
  const { kind } = extendedRegex(source);
  expect(kind).toBe("refused");
});

test("any text is answered, and a literal one is taken as it is", () => {
  assert(
    property(string(), (source) => {
      expect(["expression", "refused"]).toContain(extendedRegex(source).kind);
    }),
  );
  assert(
    property(stringMatching(/^[\\^$.|?*+()[\]{}a-c ]{1,20}$/), (text) => {
      expect(new RegExp(literalExpression(text)).exec(text)?.[0]).toBe(text);
    }),
  );
});
