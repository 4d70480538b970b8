import { expect, test } from "vitest";
import { changedSymbols } from "./changed-symbols.ts";

const file = (path: string) => ({ path, change: "modified", addedLines: 1, removedLines: 1 }) as const;

async function told(path: string, base: string | null, head: string | null) {
  return await changedSymbols([file(path)], async (_, at) => await Promise.resolve(at === "base" ? base : head));
}

test("a change is told by the functions and classes that it adds, changes and removes", async () => {
  const base = "export function total() {\n  return 1;\n}\nfunction old() {}\nfunction same() {}\n";
  const head = "function same() {}\nexport function total() {\n  return 2;\n}\nfunction fresh() {}\n";
  expect(await told("src/a.ts", base, head)).toEqual([
    { path: "src/a.ts", added: ["fresh"], changed: ["total"], removed: ["old"] },
  ]);
});

test("a changed method does not make its class a changed one", async () => {
  const cart = (body: string) =>
    `class Cart:\n    def total(self):\n        return ${body}\n\n    def empty(self):\n        pass\n`;
  expect(await told("a.py", cart("1"), cart("2"))).toEqual([
    { path: "a.py", added: [], changed: ["Cart.total"], removed: [] },
  ]);
});

test("nothing is told of moved lines, of files that are no code, and of what cannot be read", async () => {
  expect(await told("src/a.ts", "function a() {}\n", "\n\nfunction a() {}\n")).toEqual([]);
  expect(await told("README.md", "# A\n", "# B\n")).toEqual([]);
  expect(await told("src/a.ts", null, null)).toEqual([]);
});
