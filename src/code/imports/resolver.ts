import { languageNamed } from "../languages/registry.ts";
import { KnownPaths } from "./known-paths.ts";
import { Manifests } from "./manifests.ts";
import { LONGEST_SPECIFIER } from "./site-list.ts";
import { Tree } from "./tree.ts";

export interface ImportResolverOptions {
  /** Texts of the files that `isImportManifest` selects, by path; the only source of package names. */
  manifests?: ReadonlyMap<string, string>;
}

/** Resolves imports to files of one tree (R-EXP-1). Cheap to create; lookup tables are built on demand. */
export class ImportResolver {
  readonly #tree: Tree;

  constructor(paths: readonly string[], options: ImportResolverOptions = {}) {
    this.#tree = new Tree(new KnownPaths(paths), new Manifests(options.manifests ?? new Map()));
  }

  /**
   * The files that `specifier`, as `importsIn` returns it, refers to in the file `from`: none for external or unknown
   * ones, several for a folder of code (at most 40). Never the file itself.
   */
  resolve(from: string, language: string | null, specifier: string): string[] {
    if (specifier === "" || specifier.length > LONGEST_SPECIFIER || specifier.includes("\0")) return [];
    const found = languageNamed(language)?.resolveImport?.(this.#tree, from, specifier) ?? [];
    return [found].flat().filter((path) => path !== from);
  }
}
