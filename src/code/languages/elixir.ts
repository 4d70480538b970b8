import { LONGEST_NAME, braced, scanLines } from "../imports/line-form.ts";
import type { Tree } from "../imports/tree.ts";
import type { Language } from "./language.ts";

export const ELIXIR: Language = {
  names: ["elixir"],
  scanImports: scanLines({
    pattern: /^[ \t]*(?:alias|import|use|require)[ \t]+(?<name>[A-Z][\w.]{0,200}(?:\{[^}]{0,2000}\})?)/gm,
    names: (written) => braced(written, "."),
  }),
  resolveImport: resolveElixir,
};

/** Any path that ends in the module's name in snake case. */
function resolveElixir(tree: Tree, from: string, specifier: string): string[] {
  const names = specifier.split(".").filter(Boolean).map(underscored);
  for (let count = Math.min(names.length, LONGEST_NAME); count > 0 && count >= names.length - 1; count -= 1) {
    const path = names.slice(0, count).join("/");
    const found = ["ex", "exs"].flatMap((ending) => tree.paths.endingIn(`${path}.${ending}`, from))[0];
    if (found !== undefined && (count > 1 || names.length === 1)) return [found];
  }
  return [];
}

function underscored(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "_").toLowerCase();
}
