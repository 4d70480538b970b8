import { expect, test } from "vitest";
import { bareIn, chosenIn, hasAll, isProposal, leavesOpen, withoutSoftener } from "./concluding.ts";

test.each([
  ["OK, substring then", "en", "substring"],
  ["stdout it is", "en", "stdout"],
  ["Dann stdout", "de", "stdout"],
  ["The parser reads it twice", "en", null],
])("takes what was said before: %s", (sentence, language, chosen) => {
  expect(chosenIn(sentence, [language])).toBe(chosen);
});

test.each([
  ["OK, by name.", "en", "by name"],
  ["Ja, stdout", "de", "stdout"],
  ["OK, thanks", "en", null],
  ["By name or by date of the last change", "en", null],
])("what is left of a few words without a yes: %s", (sentence, language, bare) => {
  expect(bareIn(sentence, [language])).toBe(bare);
});

test("articles need not be repeated, other words do", () => {
  expect(hasAll("Print it to stderr", "the stderr")).toBe(true);
  expect(hasAll("Print it to stderr", "the stdout")).toBe(false);
});

test.each([
  ["Could it be sorted?", true],
  ["Könnte es sortiert sein?", true],
  ["可以排序吗？", true],
  ["Could I help?", false],
  ["It would be better sorted", true],
  ["Debería ordenarse", true],
  ["It could be a race", false],
])("proposes how something could be: %s", (sentence, proposes) => {
  expect(isProposal(sentence)).toBe(proposes);
});

test.each([
  ["stdout or stderr?", "choice"],
  ["stdout oder stderr", "choice"],
  ["标准输出还是标准错误？", "choice"],
  ["Should it go to stderr? (as today?)", "choice"],
  ["Which version do you use?", "reader"],
  ["Was nutzt du?", "reader"],
  ["It goes to stderr", null],
])("leaves open which, or asks the reader: %s", (sentence, open) => {
  expect(leavesOpen(sentence)).toBe(open);
});

test.each([
  ["The number, I'd say.", "The number"],
  ["Die Zahl, würde ich sagen", "Die Zahl"],
  ["El número, por favor", "El número"],
  ["数字，我觉得", "数字"],
])("without what softens it: %s", (sentence, plain) => {
  expect(withoutSoftener(sentence)).toBe(plain);
});
