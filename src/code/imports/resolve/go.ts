import { baseOf, below } from "../known-paths.ts";
import type { Tree } from "../tree.ts";
import { MOST_FILES } from "./folder-files.ts";

/** Go: the files of the package's folder without its tests, by the module path of the innermost go.mod that fits. */
export function resolveGo(tree: Tree, specifier: string): string[] {
  for (const { name, folder } of tree.goModules()) {
    if (specifier !== name && !specifier.startsWith(`${name}/`)) continue;
    const inside = specifier.slice(name.length + 1);
    const files = tree.paths.inFolder(inside === "" ? folder : below(folder, inside)).filter(isGoCode);
    if (files.length > 0) return files.slice(0, MOST_FILES);
  }
  return [];
}

function isGoCode(path: string): boolean {
  return path.endsWith(".go") && !path.endsWith("_test.go") && !/^[._]/.test(baseOf(path));
}
