import type { CodeIndex } from "../code-index.ts";
import type { ExplorerTool } from "./answer.ts";
import { createFileAccess, type FileAccessOptions } from "./file-access.ts";
import { findFiles, type FindFiles } from "./find-files.ts";
import { findReferences, type FindReferences } from "./find-references.ts";
import { history, type History } from "./history.ts";
import { importsOf, type ImportsOf } from "./imports-of.ts";
import { listSymbols, type ListSymbols } from "./list-symbols.ts";
import { readLines, type ReadLines } from "./read-lines.ts";
import { searchText, type SearchText } from "./search-text.ts";

/** Results of the tools, discriminated by `tool`. */
export type ExplorerData = SearchText | FindFiles | ListSymbols | ReadLines | FindReferences | ImportsOf | History;

/**
 * The read-only tools over the code of one commit, for a model or a protocol that hands them to one (R-EXP-3).
 * Throws `RelayError` `config` for a glob in `options.protect` that cannot be read.
 */
export function explorerTools(index: CodeIndex, options: FileAccessOptions = {}): ExplorerTool<ExplorerData>[] {
  const fileAccess = createFileAccess(index, options);
  return [searchText, findFiles, listSymbols, readLines, findReferences, importsOf, history].map((make) =>
    make(fileAccess),
  );
}
