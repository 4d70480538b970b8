import { describe, expect, test } from "vitest";
import { saidLines } from "./line-range.ts";
import { filesToCreate, operationOf, replacementIn } from "./operations.ts";

const there = (text: string, path = "src/old.ts") => operationOf(path, { exists: true, text, shortName: "old.ts" });
const missing = (text: string, path = "docs/usage.md") => operationOf(path, { exists: false, text, shortName: null });

describe("a file that is there", () => {
  test.each([
    "Delete src/old.ts.",
    "Please remove the unused file `src/old.ts`, nobody imports it",
    "`src/old.ts` should be deleted",
    "We can drop a.ts and src/old.ts",
    "Remove old.ts entirely",
    "Удалить файл src/old.ts",
    "Supprimer le fichier `src/old.ts`",
    "删除 `src/old.ts`",
  ])("is deleted where that is asked: %s", (text) => {
    expect(there(text)).toBe("DELETE");
  });

  test.each([
    "Remove the `verbose` option from src/old.ts",
    "src/old.ts deletes too many rows when a user is removed",
    "Do not delete src/old.ts",
    "Rename things in src/old.ts, but without removing src/old.ts",
    "Delete src/older.ts and look at src/old.ts",
    "Remove src/old.ts imports that nobody needs",
    "Update created_at in src/old.ts",
    "Create src/old.ts again when it is removed by hand",
    "delete packages/x/src/old.ts.",
    "`src/old.ts` should be removed from the list of exports",
  ])("is changed otherwise: %s", (text) => {
    expect(there(text)).toBe("MODIFY");
  });
});

describe("a file that is not there", () => {
  test.each([
    "Create docs/usage.md with examples",
    "Add a new page `docs/usage.md`",
    "We need a page for this: docs/usage.md (new)",
    "Put it into a new file docs/usage.md",
    "We need docs/usage.md that explains the commands",
    "docs/usage.md is missing",
    "Создать файл docs/usage.md",
    "新建 docs/usage.md",
  ])("is made where that is asked: %s", (text) => {
    expect(missing(text)).toBe("CREATE");
  });

  test.each([
    "docs/usage.md is wrong",
    "Update created_at as docs/usage.md says",
    "Add a link to docs/usage.md",
    "docs/usage.md is missing a heading",
    "Do not create docs/usage.md",
    "The job creates rows twice. See docs/usage.md",
  ])("is unknown otherwise: %s", (text) => {
    expect(missing(text)).toBeNull();
  });

  test("is never made outside of the repository", () => {
    for (const path of ["../up.md", "/etc/passwd", "a/../../b.md", ".git/config"]) {
      expect(operationOf(path, { exists: false, text: `Create ${path}`, shortName: null })).toBeNull();
    }
  });

  test("is found where the issue asks for it", () => {
    const text = "Add a new page docs/usage.md and link to docs/other.md";
    const places = [{ path: "docs/usage.md" }, { path: "docs/other.md" }];
    expect(filesToCreate(places, { tree: new Set(["README.md"]), text })).toEqual(["docs/usage.md"]);
  });
});

describe("lines", () => {
  const none = { places: [], text: "", alone: true, length: 100 };
  test("are those beside the path, or said in words about the only file", () => {
    const places = [{ path: "src/a.ts", line: 3, endLine: 9 }];
    expect(saidLines("packages/x/src/a.ts", { ...none, places })).toEqual([3, 9]);
    expect(saidLines("README.md", { ...none, text: "Line 15 has 'teh'" })).toEqual([15, 15]);
    expect(saidLines("README.md", { ...none, text: "Опечатка в строке 15" })).toEqual([15, 15]);
    expect(saidLines("README.md", { ...none, text: "第 7 行有错" })).toEqual([7, 7]);
    expect(saidLines("README.md", { ...none, text: "see lines 10-12" })).toEqual([10, 12]);
  });

  test("are not made up", () => {
    expect(saidLines("README.md", { ...none, text: "Line 15", alone: false })).toBeNull();
    expect(saidLines("README.md", { ...none, text: "Line 101" })).toBeNull();
    expect(saidLines("README.md", { ...none, text: "the deadline 15 is over" })).toBeNull();
    expect(saidLines("README.md", { ...none, text: "lines 12-10" })).toBeNull();
    expect(saidLines("src/a.ts", { ...none, places: [{ path: "src/b.ts", line: 3, endLine: null }] })).toBeNull();
  });
});

test.each([
  ["Line 15 has 'teh' instead of 'the'", { wrong: "teh", right: "the" }],
  ['"recieve" should be "receive"', { wrong: "recieve", right: "receive" }],
  ["Replace `foo()` with `bar()`", { wrong: "foo()", right: "bar()" }],
  ["use 'the' instead of 'teh'", { wrong: "teh", right: "the" }],
  ["It doesn't work and isn't fast", null],
])("%s", (text, replacement) => {
  expect(replacementIn(text)).toEqual(replacement);
});
