import { scanLines } from "../imports/line-form.ts";
import { folderOf, joined } from "../imports/known-paths.ts";
import type { Tree } from "../imports/tree.ts";
import type { Language } from "./language.ts";

export const DART: Language = {
  names: ["dart"],
  scanImports: scanLines({
    pattern: /^[ \t]*(?:(?<comment>\/\*)|(?:import|export|part)[ \t]+(?:of[ \t]+)?["'](?<name>[^"'\n$]{1,300})["'])/gm,
  }),
  resolveImport: resolveDart,
};

/** Relative to the file, or below the `lib` of the package of that name. */
function resolveDart(tree: Tree, from: string, specifier: string): string[] {
  if (specifier.startsWith("dart:")) return [];
  const found = /^package:([\w.]+)\/(.+)$/.exec(specifier);
  if (!found) return tree.paths.only(joined(folderOf(from), specifier));
  const [, name = "", path = ""] = found;
  const candidates = tree.paths.endingIn(`lib/${path}`, from);
  const owned =
    candidates.find((at) => at.endsWith(`/${name}/lib/${path}`)) ?? candidates.find((at) => at === `lib/${path}`);
  return owned === undefined ? [] : [owned];
}
