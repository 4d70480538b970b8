import { expect, test } from "vitest";
import { lookAlikesIn } from "./look-alikes.ts";

test("letters of other scripts among Latin ones are told, with what they look like", () => {
  expect(lookAlikesIn("import { \u0441hunk } from './\u0441hunk.js';")).toEqual(["\u0441hunk (U+0441 = c?)"]);
  expect(lookAlikesIn("is\u0391dmin, \uff46ull, \u{1d431}y")).toEqual([
    "is\u0391dmin (U+0391 = A?)",
    "\uff46ull (U+FF46 = f?)",
    "\u{1d431}y (U+1D431 = x?)",
  ]);
});

test("a word of look-alikes alone is told where the same is known in Latin", () => {
  const word = "\u0441\u043e\u0440\u0435";
  expect(lookAlikesIn(`${word} = 1`, new Set(["cope"]))).toEqual([`${word} (U+0441 = c?)`]);
  expect(lookAlikesIn(`${word} = 1`, new Set(["other"]))).toEqual([]);
});

test("characters that hide or turn text round are told", () => {
  expect(lookAlikesIn('const level = "user\u202e";')).toEqual([String.raw`const level = "user\u202e";`]);
  expect(lookAlikesIn("to\u200btal")).toEqual([String.raw`to\u200btal`]);
});

test("other languages, symbols and emoji are nothing", () => {
  expect(lookAlikesIn("naïve Größe Привет мир 日本語 Δx μs λ π2 ключ API-ключ 👩‍👩‍👧 ｱ")).toEqual([]);
});
