import { describe, expect, test } from "vitest";
import { outlineOf, symbolAt } from "./outline.ts";

describe("the outline of a file", () => {
  test("covers decorators and export, but not the comment before", async () => {
    const text = "// About A.\n@injectable()\nexport class A {\n  /** b */\n  @log\n  b() {}\n}\n";
    expect(await outlineOf("a.ts", "typescript", text)).toEqual([
      { name: "A", kind: "class", start: 2, end: 7, container: null },
      { name: "b", kind: "method", start: 5, end: 6, container: "A" },
    ]);
  });

  test("is empty for a file of no known language", async () => {
    expect(await outlineOf("LICENSE", null, "class A {}\n")).toEqual([]);
  });
});

describe("the symbol at a line", () => {
  test("is the innermost, if there is one", async () => {
    const outline = await outlineOf("a.py", "python", "class A:\n    def b(self):\n        pass\n\nx = 1\n");
    expect([1, 3, 4, 5].map((line) => symbolAt(outline, line)?.name ?? null)).toEqual(["A", "b", null, "x"]);
  });
});
