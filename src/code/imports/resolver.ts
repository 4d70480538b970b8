import { languageNamed } from "../languages/registry.ts";
import { KnownPaths } from "./known-paths.ts";
import { Manifests } from "./manifests.ts";
import { LONGEST_SPECIFIER } from "./site-list.ts";
import { Tree } from "./tree.ts";

export interface ImportResolverOptions {
  /** Text of the files that `isImportManifest` names, by their paths; names of packages are known by these alone. */
  manifests?: ReadonlyMap<string, string>;
}

/** Which files of one tree an import means (R-EXP-1). Building it is free; each index is made when it is needed. */
export class ImportResolver {
  readonly #tree: Tree;

  constructor(paths: readonly string[], options: ImportResolverOptions = {}) {
    this.#tree = new Tree(new KnownPaths(paths), new Manifests(options.manifests ?? new Map()));
  }

  /**
   * The files that `specifier`, as `importsIn` gives it, means in the file `from`: none for what is not of this tree or
   * cannot be told, several for a folder of code (at most 40). Never the file itself.
   */
  resolve(from: string, language: string | null, specifier: string): string[] {
    if (specifier === "" || specifier.length > LONGEST_SPECIFIER || specifier.includes("\0")) return [];
    const found = languageNamed(language)?.resolveImport?.(this.#tree, from, specifier) ?? [];
    return [found].flat().filter((path) => path !== from);
  }
}
