import { expect, test } from "vitest";
import { changedTests } from "./changed-tests.ts";

const patch = (path: string, ...lines: string[]) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1,${lines.filter((line) => !line.startsWith("+")).length} +1,${lines.length} @@\n${lines.join("\n")}\n`;

const told = (text: string) => changedTests(text).map(({ name, isNew, isGroup }) => [name, isNew, isGroup]);

test("a test is new with its name, and changed by a line within", () => {
  const lines = [' test("old", () => {', "+  assert(1);", " });", '+test("new", () => {', "+  assert(2);", "+});"];
  expect(told(patch("test/a.test.js", ...lines))).toEqual([
    ["old", false, false],
    ["new", true, false],
  ]);
});

test("a blank line behind a test, and what stands behind its end, do not change it", () => {
  const lines = [' test("old", () => {', " });", "+", "+const helper = 1;", '+test("new", () => {', "+});"];
  expect(told(patch("test/a.test.js", ...lines))).toEqual([["new", true, false]]);
});

test("a group is told from a test, and only files of tests are read", () => {
  expect(told(patch("test/a.test.js", '+describe("cart", () => {', "+  x();"))).toEqual([["cart", true, true]]);
  expect(told(patch("src/a.js", '+test("new", () => {'))).toEqual([]);
});
