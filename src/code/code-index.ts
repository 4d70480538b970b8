import type { FileRole } from "./classify.ts";
import type { Repository } from "./git/repository.ts";

/** Why a file's text is not in the index. */
export type Skipped = "binary" | "too large" | "missing" | "pointer" | "link" | "submodule" | "no text";

/** One path of the indexed commit. */
export interface IndexedFile {
  path: string;
  /** Name of the blob, or of the commit of a submodule. */
  objectName: string;
  role: FileRole;
  /** In lower case, by extension; `null` when unknown. */
  language: string | null;
  /** `null` if the content was not read: links, submodules, pictures, missing blobs. */
  bytes: number | null;
  /** `null` when its text is indexed. */
  skipped: Skipped | null;
}

/** A named piece of code. Lines count from 1, both ends included. */
export interface CodeSymbol {
  name: string;
  kind: SymbolKind;
  start: number;
  end: number;
  /** Name of the innermost symbol around it. */
  container: string | null;
}

export const SYMBOL_KINDS = [
  "function",
  "method",
  "constructor",
  "class",
  "interface",
  "struct",
  "enum",
  "trait",
  "type",
  "module",
  "property",
  "constant",
  "variable",
  "macro",
  "table",
  "rule",
  "element",
  "heading",
] as const;

export type SymbolKind = (typeof SYMBOL_KINDS)[number];

/** One import as written. */
export interface ImportSite {
  /** The module as the code names it: `./a.js`, `os.path`, `crate::sync`, `com.acme.Foo`, `<stdio.h>`. */
  specifier: string;
  /** From 1. */
  line: number;
}

/** An import and the files of this commit that it resolves to; none for an external package. */
export interface ResolvedImport extends ImportSite {
  files: string[];
}

/** The index of the code of one commit, without a model or network (R-EXP-1). */
export interface CodeIndex {
  readonly repository: Repository;
  /** All paths of the commit, in git's order. */
  readonly files: readonly IndexedFile[];
  file(path: string): IndexedFile | undefined;
  /**
   * Files that contain an identifier or word, case-insensitively. May list files without it; misses files only if a
   * text has over 20,000 distinct words.
   */
  filesWith(word: string): string[];
  /** Files that seem to define a symbol of that name, case-insensitively. */
  filesDefining(name: string): string[];
  /** Symbols of one file by line, parsed once for each blob; none for a file without text. */
  outline(path: string): Promise<CodeSymbol[]>;
  imports(path: string): Promise<ResolvedImport[]>;
  /** Files that import the file, sorted by path. */
  importers(path: string): Promise<string[]>;
}
