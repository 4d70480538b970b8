import { scanLines } from "../imports/line-form.ts";
import type { Tree } from "../imports/tree.ts";
import type { Language } from "./language.ts";

export const LUA: Language = {
  names: ["lua"],
  scanImports: scanLines({
    pattern:
      /^[ \t]*(?<comment>--\[\[)|(?<![\w.])(?:require|dofile)[ \t]{0,9}\(?[ \t]{0,9}["'](?<name>[^"'\n]{1,300})["']/gm,
    commentEnd: "]]",
  }),
  resolveImport: resolveLua,
};

/** Dots are folders: any path that ends in `a/b.lua` or `a/b/init.lua`. */
function resolveLua(tree: Tree, from: string, specifier: string): string[] {
  const path = specifier
    .replace(/\.lua$/, "")
    .replace(/\./g, "/")
    .replace(/^\/+/, "");
  if (path === "") return [];
  return [...tree.paths.endingIn(`${path}.lua`, from), ...tree.paths.endingIn(`${path}/init.lua`, from)].slice(0, 1);
}
