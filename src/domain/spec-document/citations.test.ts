import { expect, test } from "vitest";
import { codeSpan } from "../../lib/text.ts";
import { citationsIn, touchPointsIn } from "./citations.ts";

test("a file with a backtick in its name is read back as the touch point that it is", () => {
  const paths = ["src/od`d.ts", "src/`.ts", "src/a.ts", "`b/c.ts"];
  const text = `${paths.map((path) => codeSpan(path)).join(", ")} (new)`;
  expect(touchPointsIn(text)).toEqual(paths.map((path, at) => ({ path, isNew: at === paths.length - 1 })));
});

test("a place within a longer fence is cited, and part of a name is not", () => {
  expect(citationsIn("See ``src/a.ts:3`` and ``src/od`d.ts:4``.", 1)).toEqual([
    { kind: "file", path: "src/a.ts", start: 3, end: 3, line: 1 },
  ]);
});
