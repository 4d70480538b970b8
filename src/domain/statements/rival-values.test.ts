import { expect, test } from "vitest";
import { besideValues, hasReplaced, isRival, sharedBeside } from "./rival-values.ts";
import { significantWords } from "../text/significant-words.ts";

test.each([
  ["Keep it 14 days", "Keep it 7 days", true],
  ["Es bleibt 14 Tage", "nach 7 Tagen löschen", true],
  ["Print to stderr", "Print to stdout", true],
  ["Tri décroissant", "Tri croissant", true],
  ["Keep it 14 days", "Retry 7 times", false],
  ["Keep it 7 days", "Delete after 7 days", false],
  ["It works in version 3", "It fails in version 2", false],
  ["Exit code 2", "Exit code 1", true],
])("another value of the same kind: %s / %s", (later, earlier, rivals) => {
  expect(isRival(later, earlier)).toBe(rivals);
});

test("formats rule each other out only where somebody chooses", () => {
  expect(isRival("YAML", "JSON")).toBe(false);
  expect(isRival("YAML", "JSON", true)).toBe(true);
});

test("words beside the values tell what they are of", () => {
  const text = "The cache must hold 14 days instead of 7";
  const rest = besideValues(significantWords(text), text, significantWords("7"));
  expect([...rest]).toEqual([...significantWords("cache hold")]);
  expect(sharedBeside(rest, "The cache should hold 7 days", false)).toBe(1);
  expect(sharedBeside(rest, "Sessions last 7 days", false)).toBe(0);
  expect(sharedBeside(new Set(), "Sessions last 7 days", true)).toBeGreaterThan(0);
});

test("a text has what is replaced if it says all of it", () => {
  expect(hasReplaced(significantWords("7 days"), "After 7 days")).toBe(true);
  expect(hasReplaced(significantWords("7 days"), "After 8 days")).toBe(false);
  expect(hasReplaced(null, "After 8 days")).toBe(true);
});
