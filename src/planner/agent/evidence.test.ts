import { describe, expect, test } from "vitest";
import { createEvidence } from "./evidence.ts";

const LINES = "one\ntwo\nthree";

function seen() {
  const known = createEvidence();
  known.add([
    { location: "src/a.ts:10-12", snippet: LINES },
    { location: "src/a.ts:1-80", snippet: "cut…" },
    { location: "README.md", snippet: "" },
  ]);
  return known;
}

describe("what explorations have verified", () => {
  test.each([
    ["src/a.ts:11", { location: "src/a.ts:11", snippet: "two" }],
    ["`src/a.ts:11-12`", { location: "src/a.ts:11-12", snippet: "two\nthree" }],
    ["src/a.ts:L10-L12", { location: "src/a.ts:10-12", snippet: LINES }],
    // Only the wider place has these lines, and its snippet is not whole.
    ["src/a.ts:9-12", { location: "src/a.ts:1-80", snippet: "cut…" }],
    ["src/a.ts", { location: "src/a.ts:10-12", snippet: LINES }],
    ["README.md", { location: "README.md", snippet: "" }],
  ])("%s stands for the narrowest place that holds it", (citation, source) => {
    expect(seen().find(citation)).toEqual(source);
  });

  test.each(["src/a.ts:81", "src/a.ts:12-9", "src/a.ts:0", "src/b.ts:11", "a.ts:11", "README.md:3", "", ":3"])(
    "%s was not verified",
    (citation) => {
      expect(seen().find(citation)).toBeNull();
    },
  );

  test("what could have been meant is told: the same file first", () => {
    expect(seen().near("src/a.ts:90")).toEqual(["src/a.ts:10-12", "src/a.ts:1-80"]);
    expect(seen().near("src/z.ts:1")).toHaveLength(3);
    expect(createEvidence().near("src/z.ts:1")).toEqual([]);
  });
});
