import { expect, test } from "vitest";
import { type FoundFile, type SkippedFiles, groupOf, shareOut } from "../code/search/search-code.ts";
import { renderFound } from "./found-files.ts";

const file = (path: string, role: FoundFile["role"] = "source"): FoundFile => ({
  path,
  role,
  score: 1,
  reasons: ["speaks of cart"],
  symbols: [{ name: "total", kind: "function", start: 3, end: 9 }],
  lines: [{ line: 4, text: "return 0;", why: "speaks of cart", symbol: "total" }],
  language: null,
});

function render(files: FoundFile[], skipped: SkippedFiles[] = [], color = false): string {
  const repository = { commit: "0123456789abcdef", branch: "main" };
  return renderFound({ repo: "/nowhere/shop", repository, ms: 5, files, skipped, by: null, asked: "cart" }, color);
}

test("each file has its reasons, and its places with their function and text", () => {
  expect(render([file("src/cart.ts"), file("test/cart.test.ts", "test")])).toBe(`\
2 files in /nowhere/shop at 0123456789 (main), 5 ms

Code
  1  src/cart.ts:4  1.00
     speaks of cart
     src/cart.ts:4  function total, lines 3-9
         return 0;

Tests
  1  test/cart.test.ts:4  1.00
     speaks of cart
     test/cart.test.ts:4  function total, lines 3-9
         return 0;
`);
});

test("names cannot steer the terminal, nor hide", () => {
  const shown = render([{ ...file("a\u001b[2J\n\u202e\u0085.ts"), reasons: ["is \u001b]8;;x\u0007"] }], [], true);
  expect(shown).toContain("a\\u{1b}[2J\\n\\u{202e}\\u{85}.ts:4");
  expect(shown).toContain("is \\u{1b}]8;;x\\u{7}");
  expect(shown).toContain("\u001b[1mCode");
  expect(render([])).not.toContain("\u001b");
});

test("what was not searched is told where somebody may miss it", () => {
  const skipped: SkippedFiles[] = [
    { reason: "no text", files: 9, examples: ["logo.png"] },
    { reason: "missing", files: 3, examples: ["src/a.ts", "src/b.ts"] },
    { reason: "submodule", files: 1, examples: ["lib"] },
  ];
  const told = `Not searched: src/a.ts and 2 more: not in this clone (fetch it whole); lib: a submodule (look into it with --repo)\n`;
  expect(render([], skipped)).toMatch(/^Nothing found for “cart” in .*\nTry .*\n/);
  expect(render([], skipped).endsWith(told)).toBe(true);
  expect(render([file("a.ts")], skipped).endsWith(`\n\n${told}`)).toBe(true);
});

test("code has all the places; tests and docs what is left, or a few apart", () => {
  const located = [
    ...Array.from({ length: 20 }, () => file("a.ts")),
    ...Array.from({ length: 10 }, () => file("a.test.ts", "test")),
    ...Array.from({ length: 10 }, () => file("a.md", "docs")),
    ...Array.from({ length: 10 }, () => file("a.lock", "lock")),
  ];
  const shares = (files: FoundFile[], limit: number) => {
    const { chosen, apart } = shareOut(files, limit);
    const count = (list: FoundFile[]) =>
      ["code", "tests", "docs", "other"].map((group) => list.filter(({ role }) => groupOf(role) === group).length);
    return { chosen: count(chosen), apart: count(apart) };
  };
  expect(shares(located, 1)).toEqual({ chosen: [1, 0, 0, 0], apart: [0, 3, 2, 0] });
  expect(shares(located, 22)).toEqual({ chosen: [20, 2, 0, 0], apart: [0, 1, 2, 0] });
  expect(shares(located, 200)).toEqual({ chosen: [20, 10, 10, 10], apart: [0, 0, 0, 0] });
  expect(shares(located.slice(30), 15)).toEqual({ chosen: [0, 0, 10, 5], apart: [0, 0, 0, 0] });
});
