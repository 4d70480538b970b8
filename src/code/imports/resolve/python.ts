import { below, folderOf, foldersAround, type KnownPaths } from "../known-paths.ts";
import type { Tree } from "../tree.ts";

const MODULES = [".py", ".pyi", ".pyx"];
const ENDINGS = [".py", "/__init__.py", ".pyi", "/__init__.pyi", ".pyx"];

/**
 * Python: the module, or where the last names are no modules, the one that they are taken from. An absolute name is
 * looked for from the folders around that are no packages themselves, and their `src` and `lib`; then from wherever a
 * package of that name begins.
 */
export function resolvePython(tree: Tree, from: string, specifier: string): string | null {
  const dots = /^\.*/.exec(specifier)?.[0].length ?? 0;
  const names = specifier.slice(dots).split(".").filter(Boolean);
  if (names.length > 30) return null;
  if (dots > 0) {
    let folder = folderOf(from);
    for (let up = 1; up < dots; up += 1) {
      if (folder === "") return null;
      folder = folderOf(folder);
    }
    return deepest(tree.paths, folder, names) ?? tree.paths.first([below(folder, "__init__.py")]);
  }
  const top = names[0];
  if (top === undefined) return null;
  for (const root of roots(tree, from, top)) {
    const found = deepest(tree.paths, root, names);
    if (found !== null) return found;
  }
  return null;
}

/** The longest beginning of the names that is a module. */
function deepest(paths: KnownPaths, folder: string, names: readonly string[]): string | null {
  for (let count = names.length; count > 0; count -= 1) {
    const path = below(folder, names.slice(0, count).join("/"));
    for (const ending of ENDINGS) if (paths.has(path + ending)) return path + ending;
  }
  return null;
}

function roots(tree: Tree, from: string, top: string): readonly string[] {
  const key = `${folderOf(from)}\0${top}`;
  const known = tree.pythonRoots.get(key);
  if (known) return known;
  const found: string[] = [];
  for (const folder of foldersAround(from)) {
    if (tree.paths.has(below(folder, "__init__.py"))) continue;
    found.push(folder, below(folder, "src"), below(folder, "lib"));
  }
  const beginsHere = tree.pythonPackages(top).filter((root) => !found.includes(root));
  const all = [...found, ...beginsHere.toSorted((a, b) => a.length - b.length)].filter((root) => {
    const path = below(root, top);
    return tree.paths.hasFolder(path) || MODULES.some((ending) => tree.paths.has(path + ending));
  });
  tree.pythonRoots.set(key, all);
  return all;
}
