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
  /** In lower case, by the extension; `null` where that tells nothing. */
  language: string | null;
  /** `null` where the content was not looked at: links, submodules, pictures, what the clone does not hold. */
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
  /** Name of the symbol right around it. */
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

/** An import and the files of this commit that it means; none for a package from outside. */
export interface ResolvedImport extends ImportSite {
  files: string[];
}

/** What is known of the code of one commit, with no model and no network (R-EXP-1). */
export interface CodeIndex {
  readonly repository: Repository;
  /** All paths of the commit, in git's order. */
  readonly files: readonly IndexedFile[];
  file(path: string): IndexedFile | undefined;
  /**
   * Files in which an identifier or word stands as a whole, case folded. More files are possible, fewer only where
   * a text has over 20,000 different words.
   */
  filesWith(word: string): string[];
  /** Files that seem to define a symbol of that name, case folded. */
  filesDefining(name: string): string[];
  /** Symbols of one file in the order of their lines, parsed once for each blob; none where there is no text. */
  outline(path: string): Promise<CodeSymbol[]>;
  imports(path: string): Promise<ResolvedImport[]>;
  /** Files that import the file, sorted by path. */
  importers(path: string): Promise<string[]>;
}
