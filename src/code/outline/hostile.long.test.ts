import { array, assert, asyncProperty, constantFrom, oneof, string } from "fast-check";
import { describe, expect, test } from "vitest";
import type { CodeSymbol } from "../code-index.ts";
import { classify } from "../classify.ts";
import { outlineOf } from "./outline.ts";
import { triesOf } from "../../../test/support/tries.ts";

const PATHS =
  "a.ts a.tsx a.js a.py a.go a.rs a.java a.c a.cpp a.cs a.rb a.php a.sh a.ps1 a.css a.scss a.ini a.md a.sql a.html a.vue a.svelte a.astro a.kt a.swift a.json".split(
    " ",
  );

/** Pieces that open, close, quote, define and indent in one language or another. */
const PIECES =
  "{ } ( ) [ ] < > </ /> \" ' ` ${ #{ \\ \0 \ud800 \udc00 \u{1F600} \r \n \n \n \t = => : :: ; , . @ # $ $$ // /* */ -- <!-- --> <<A <<~B === --- ``` class function def fn func fun impl interface struct enum trait type module namespace const let var export default begin end create table if else for x y Foo 1 <script> </script> <?php #[a] @a macro! é".split(
    " ",
  );
const soup = array(oneof(constantFrom(...PIECES, "\n", " ", "\n    "), string({ unit: "binary", maxLength: 5 })), {
  maxLength: 120,
}).map((pieces) => pieces.join(" "));

function outline(path: string, text: string): Promise<CodeSymbol[]> {
  return outlineOf(path, classify(path).language, text);
}

/** What is wrong with an outline: outside of the file, out of order, without a name. */
function wrongOf(symbols: readonly CodeSymbol[], text: string): CodeSymbol[] {
  const lines = text.split("\n").length;
  return symbols.filter((one, at) => {
    const before = symbols[at - 1] ?? { start: 1, end: lines };
    const inFile = one.start >= 1 && one.end >= one.start && one.end <= lines;
    const inOrder = one.start > before.start || (one.start === before.start && one.end <= before.end);
    return !inFile || !inOrder || one.name === "" || one.name.length > 200;
  });
}

describe("a text that means harm", () => {
  test.each(PATHS)("gives %s an outline in order and inside of the file, whatever it says", async (path) => {
    await assert(
      asyncProperty(soup, async (text) => {
        expect(wrongOf(await outline(path, text), text)).toEqual([]);
      }),
      { numRuns: triesOf(60) },
    );
  });

  const MEGABYTE = 1_048_576;
  test.each([
    ["brackets on one line", "{".repeat(MEGABYTE)],
    ["brackets on lines of their own", "{\n".repeat(MEGABYTE / 2)],
    ["100,000 functions in functions", "function a(){\n".repeat(100_000).slice(0, MEGABYTE)],
    ["100,000 classes in brackets", "(class{a(){\n".repeat(100_000).slice(0, MEGABYTE)],
    ["a text of NULs", "\0\n".repeat(MEGABYTE / 2)],
    ["half characters", "\ud800\n".repeat(MEGABYTE / 2)],
    ["more than is parsed", "class A {}\n".repeat(MEGABYTE / 5)],
  ])("%s give a result", async (_, text) => {
    for (const path of ["a.ts", "a.py", "a.html"]) expect(wrongOf(await outline(path, text), text)).toEqual([]);
  });

  test("a file has 5,000 symbols at most", async () => {
    expect(await outline("a.ts", "let a;\n".repeat(6_000))).toHaveLength(5_000);
  });

  test("a name has 200 characters at most", async () => {
    const [one] = await outline("a.ts", `class ${"A".repeat(500)} {}`);
    expect(one?.name).toHaveLength(200);
  });

  test("what follows a NUL is understood", async () => {
    expect((await outline("a.ts", "// \0\nclass A {}\n")).map(({ name }) => name)).toEqual(["A"]);
  });

  test("what stands around a syntax error is understood", async () => {
    const names = (await outline("a.ts", "class A {}\n\n@@@ ???\n\nfunction b() {}\n")).map(({ name }) => name);
    expect(names).toContain("A");
    expect(names).toContain("b");
  });

  test("a file with a line of more than 10,000 characters is read line by line", async () => {
    const text = `class A {\n  run() {\n  }\n}\n// ${"x".repeat(10_001)}\n`;
    expect(await outline("a.ts", text)).toEqual([
      { name: "A", kind: "class", start: 1, end: 4, container: null },
      { name: "run", kind: "method", start: 2, end: 3, container: "A" },
    ]);
  });
});
