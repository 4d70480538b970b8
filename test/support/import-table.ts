import { describe, expect, test } from "vitest";
import { ImportResolver } from "../../src/code/imports/resolver.ts";

/** A tree of files and what they import, as a table of a test. */
export interface ImportTable {
  language: string;
  /** Separated by spaces. */
  paths: string;
  /** Further files; what is no text is written as JSON. */
  manifests?: Record<string, unknown>;
  /** `FILE imports SPECIFIER -> FILES`, the files separated by spaces, or none. */
  cases: string[];
}

/** Makes each case of each table a test. */
export function describeImports(tables: Record<string, ImportTable>): void {
  describe.each(Object.entries(tables))("%s", (_name, { language, paths, manifests = {}, cases }) => {
    const resolver = resolverOf(paths.split(" "), manifests);
    test.each(cases)("%s", (sentence) => {
      const [from = "", specifier = "", files = ""] = sentence.split(/ imports | ->(?: |$)/);
      expect(resolver.resolve(from, language, specifier)).toEqual(files.split(" ").filter(Boolean));
    });
  });
}

/** A resolver for paths and further files that are manifests. */
export function resolverOf(paths: readonly string[], manifests: Record<string, unknown>): ImportResolver {
  const texts = new Map<string, string>();
  for (const [path, text] of Object.entries(manifests)) {
    texts.set(path, typeof text === "string" ? text : JSON.stringify(text));
  }
  return new ImportResolver([...paths, ...texts.keys()], { manifests: texts });
}
