import { expect, test } from "vitest";
import { keptParts } from "./kept.ts";

const FILES = ["src/cli/pour.ts", "src/http/routes.ts", "src/export/csv.ts", "src/pots/lid.ts", "src/main.ts"].map(
  (path) => ({ path, role: "source" as const }),
);

/** The files that a comment keeps as they are. */
function kept(...contents: string[]): string[] {
  const parts = keptParts(
    { files: FILES },
    contents.map((content) => ({ content })),
  );
  return FILES.map(({ path }) => path).filter((path) => parts.has(path));
}

test.each([
  ["Scrap the 409. CLI keeps its error.", "src/cli/pour.ts"],
  ["HTTP stays untouched, the header is enough there.", "src/http/routes.ts"],
  ["Leave http alone.", "src/http/routes.ts"],
  ["Die CLI behält ihren Fehler.", "src/cli/pour.ts"],
  ["Der Export bleibt, wie er ist.", "src/export/csv.ts"],
  ["La CLI mantiene su error.", "src/cli/pour.ts"],
  ["La CLI garde son erreur.", "src/cli/pour.ts"],
  ["A CLI mantém o seu erro.", "src/cli/pour.ts"],
  ["CLI сохраняет свою ошибку.", "src/cli/pour.ts"],
  ["CLI 保持不变。", "src/cli/pour.ts"],
  ["CLI はそのままで。", "src/cli/pour.ts"],
  ["`lid` needs no change.", "src/pots/lid.ts"],
])("a part of the code that stays as it is, named by its folder: %s", (content, path) => {
  expect(kept(content)).toEqual([path]);
});

test("a wish for a part, a fault of it, and a word that names no folder keep nothing", () => {
  expect(kept("The CLI should say so as well.")).toEqual([]);
  expect(kept("The export keeps its old rows when the month has none, that is the bug.")).toEqual([]);
  expect(kept("The lid stays as it is.", "Leave main alone.")).toEqual([]);
});
