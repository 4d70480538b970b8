import { expect, test } from "vitest";
import { commentAddress, fileAddress } from "./addresses.ts";

const place = { path: "src/app/[id]/a b.ts", lines: { start: 10, end: 20 } };

test.each([
  ["github", "https://github.com/o/r.git", "https://github.com/o/r/blob/c1/src/app/%5Bid%5D/a%20b.ts#L10-L20"],
  ["gitlab", "https://gitlab.com/g/o/r.git", "https://gitlab.com/g/o/r/-/blob/c1/src/app/%5Bid%5D/a%20b.ts#L10-20"],
  ["local", "/home/me/r", null],
  ["github", "/mirror/of/r", null],
  ["github", null, null],
] as const)("lines of a file on %s in %s are at %s (R-SPEC-17)", (provider, cloneSource, address) => {
  expect(fileAddress({ provider, cloneSource }, "c1", place)).toBe(address);
});

test("one line is one line, and lines of a rendered file are those of its source", () => {
  const hosted = { provider: "github", cloneSource: "https://github.com/o/r.git" } as const;
  expect(fileAddress(hosted, "c1", { path: "README.md", lines: { start: 3, end: 3 } })).toBe(
    "https://github.com/o/r/blob/c1/README.md?plain=1#L3",
  );
  expect(fileAddress(hosted, "c1", { path: "README.md" })).toBe("https://github.com/o/r/blob/c1/README.md");
});

test("a comment's address is its issue's with its id", () => {
  const url = "https://github.com/o/r/issues/7";
  expect(commentAddress({ provider: "github", url }, "12")).toBe(`${url}#issuecomment-12`);
  expect(commentAddress({ provider: "local", url: null }, "12")).toBeNull();
});
