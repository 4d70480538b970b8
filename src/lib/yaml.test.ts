import { LineCounter } from "yaml";
import { expect, test } from "vitest";
import { yamlDocument } from "./yaml.ts";

test.each([
  ["at the top", "a: 1\nb: 2\na: 3\n", 3],
  ["inside", "a:\n  b: 1\n  b: 2\n", 3],
  ["in braces", "a: 1\nb: { c: 1, c: 2 }\n", 2],
  ["in a list", "- a: 1\n  a: 2\n", 2],
  ["in quotes once", 'a: 1\n"a": 2\n', 2],
])("a key that stands twice is an error: %s", (_, text, line) => {
  const lines = new LineCounter();
  const [error] = yamlDocument(text, lines).errors;
  expect(error).toMatchObject({ code: "DUPLICATE_KEY", message: "Map keys must be unique" });
  expect(lines.linePos(error?.pos[0] ?? 0).line).toBe(line);
});

test("the same key in two mappings, and a key that is a list, are none", () => {
  expect(yamlDocument("a: { c: 1 }\nb: { c: 2 }\n[c]: 1\n[d]: 2\n").errors).toEqual([]);
});
