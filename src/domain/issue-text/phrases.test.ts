import { expect, test } from "vitest";
import { phrasePattern } from "./phrases.ts";

/** All characters of the basic plane. */
const CHARACTERS = Array.from({ length: 0xd800 }, (_, code) => String.fromCharCode(code));

test("letters and numbers of the scripts of issues are those of Unicode, and no mark or sign is one", () => {
  const scripts =
    /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
  const letter = phrasePattern(String.raw`^\p{L}$`);
  const either = phrasePattern(String.raw`^[_\p{L}\p{N}]$`);
  const apart = CHARACTERS.filter((one) => scripts.test(one) && letter.test(one) !== /^\p{L}$/u.test(one));
  // Rare, old and phonetic letters are in no phrase.
  expect(apart.filter((one) => /[ -\u024f\u0370-\u03ff\u0400-\u04ff\u3041-\u30ff\u4e00-\u9fff]/.test(one))).toEqual([]);
  expect(CHARACTERS.filter((one) => /[\p{P}\p{S}\p{Z}]/u.test(one) && one < "\u0370" && letter.test(one))).toEqual([]);
  expect(["a", "_", "7", "é", "ж", "中"].every((one) => either.test(one))).toBe(true);
  expect(["-", " ", "。", "？", "、"].some((one) => either.test(one))).toBe(false);
});

test("what an expression escapes, and its other classes, stay as they are", () => {
  expect(phrasePattern(String.raw`^[^\p{L}\]]\\\p{N}$`).test("]\\7")).toBe(false);
  expect(phrasePattern(String.raw`^[^\p{L}\]]\\\p{N}$`).test("-\\7")).toBe(true);
  expect(phrasePattern(String.raw`^\P{L}[\w.-]+$`).test("-a.b")).toBe(true);
});
