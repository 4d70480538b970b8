import { scanLines } from "../imports/line-form.ts";
import type { Tree } from "../imports/tree.ts";
import type { Language } from "./language.ts";

export const SWIFT: Language = {
  names: ["swift"],
  scanImports: scanLines({
    pattern:
      /^[ \t]*(?:(?<comment>\/\*)|(?:(?:@testable|@_exported|public|internal|private)[ \t]+)?import[ \t]+(?:(?:struct|class|func|enum|protocol|typealias|let|var)[ \t]+)?(?<name>[\w.]{1,300}))/gm,
  }),
  resolveImport: resolveSwift,
};

/** A module is the folder of its name below `Sources` or `Tests`. */
function resolveSwift(tree: Tree, from: string, specifier: string): string[] {
  const module = specifier.split(".", 1)[0] ?? "";
  if (module === "") return [];
  const files = tree.filesOfFolder(`Sources/${module}`, from, /\.swift$/);
  return files.length > 0 ? files : tree.filesOfFolder(`Tests/${module}`, from, /\.swift$/);
}
