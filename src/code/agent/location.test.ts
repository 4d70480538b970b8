import { describe, expect, test } from "vitest";
import { citedIn, readLocation } from "./location.ts";

describe("a location", () => {
  test.each([
    ["src/a.ts:3-9", { path: "src/a.ts", start: 3, end: 9 }],
    ["src/a.ts:3–9", { path: "src/a.ts", start: 3, end: 9 }],
    ["src/a.ts#L3-L9", { path: "src/a.ts", start: 3, end: 9 }],
    ["a:b/c.ts:7", { path: "a:b/c.ts", start: 7, end: 7 }],
    ["src/a.ts:3-9, 12-14", null],
    ["src/a.ts", null],
    ["3-9", null],
    [`${"a".repeat(2_000)}:1`, null],
  ])("%s", (written, location) => {
    expect(readLocation(written)).toEqual(location);
  });
});

describe("places that a text cites", () => {
  test("are those with lines, each once, without what stands around them", () => {
    const text =
      "It is made in `src/a.ts:3-9` (see ./b.py:7, and src/a.ts:3-9); _c/d.go#L1-L2_ and Makefile:12. Also [x](e.rs:5).";
    expect(citedIn(text)).toEqual(["src/a.ts:3-9", "./b.py:7", "_c/d.go#L1-L2", "Makefile:12", "e.rs:5"]);
  });

  test("are not columns, ranges of three numbers, or parts of addresses", () => {
    expect(citedIn("src/a.ts:3:9 a.ts:1-2-3 https://example.org:80/a.ts")).toEqual([]);
  });

  test("are at most 40", () => {
    expect(citedIn(Array.from({ length: 100 }, (_, n) => `a.ts:${n}`).join(" "))).toHaveLength(40);
  });

  test.each(["a/", "a:1", ":1-", "1", "-", "#L"])("are found in a long run of %j in linear time", (piece) => {
    // Quadratic time on this many characters would end the run by its time-out.
    expect(citedIn(piece.repeat(500_000)).length).toBeLessThanOrEqual(40);
  });
});
