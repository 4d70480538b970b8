import { z } from "zod";
import { literalExpression } from "../git/extended-regex.ts";
import { SYMBOL_KINDS, type CodeSymbol, type IndexedFile, type SymbolKind } from "../code-index.ts";
import { refused, type ExplorerTool } from "./answer.ts";
import { defineTool } from "./define-tool.ts";
import { abortableLoop } from "./abortable-loop.ts";
import { pagingInput } from "./paging.ts";
import { selectFiles, closedFilesNote, pathsInput } from "./path-filter.ts";
import { shownPath, shownText } from "./sanitize.ts";
import type { FileAccess } from "./file-access.ts";

export interface ListedSymbol {
  path: string;
  name: string;
  kind: SymbolKind;
  /** Lines from 1, both included. */
  start: number;
  end: number;
  container: string | null;
}

export interface ListSymbols {
  tool: "list_symbols";
  symbols: ListedSymbol[];
}

const NAME_CHARACTERS = 120;

const input = z.strictObject({
  paths: pathsInput,
  name: z.string().min(1).max(200).optional().describe("the whole name, in any case"),
  prefix: z.string().min(2).max(200).optional().describe("how the name begins, in any case"),
  kinds: z
    .array(z.enum(SYMBOL_KINDS))
    .max(SYMBOL_KINDS.length)
    .default([])
    .describe("only these kinds; none means all"),
  ...pagingInput({ results: 100, most: 500 }),
});

type Asked = z.infer<typeof input>;

interface FoundSymbol {
  path: string;
  symbol: CodeSymbol;
}

export function listSymbols(fileAccess: FileAccess): ExplorerTool<ListSymbols> {
  return defineTool(fileAccess, {
    name: "list_symbols",
    description:
      "Lists what code defines: functions, classes, methods, types, constants, headings, with first and last line. Use " +
      "it for the outline of a file (paths), or to find where a name is defined (name or prefix). Give at least one of " +
      "paths, name, prefix, kinds. By parsing, so that a definition made at run time is not found.",
    input,
    onTimeout: "give paths or the whole name",
    async list(asked, signal) {
      if (asked.name === undefined && asked.prefix === undefined && asked.paths.length + asked.kinds.length === 0) {
        return refused("give a path for the outline of a file, or a name, a prefix or kinds to look for");
      }
      const selected = await selectFiles(fileAccess, asked.paths, signal);
      if (selected.kind === "refused") return selected;
      if (selected.files.length === 0 && selected.closed > 0) return refused("nothing in these paths may be opened");
      return {
        heading: "",
        found: symbolsIn(fileAccess, selected.files, asked, signal),
        row: ({ path, symbol }: FoundSymbol): ListedSymbol => ({
          path: shownPath(path),
          name: shownText(symbol.name, NAME_CHARACTERS),
          kind: symbol.kind,
          start: symbol.start,
          end: symbol.end,
          container: symbol.container === null ? null : shownText(symbol.container, NAME_CHARACTERS),
        }),
        show: showSymbol,
        data: (symbols: ListedSymbol[]): ListSymbols => ({ tool: "list_symbols", symbols }),
        nothing: "No such definition. Try a prefix, fewer kinds, or search_text for how it may be made.",
        note: closedFilesNote(selected.closed),
      };
    },
  });
}

async function* symbolsIn(
  fileAccess: FileAccess,
  chosen: readonly IndexedFile[],
  asked: Asked,
  signal: AbortSignal,
): AsyncGenerator<FoundSymbol, void> {
  const name = asked.name?.toLowerCase();
  const prefix = asked.prefix?.toLowerCase();
  const kinds = new Set<SymbolKind>(asked.kinds);
  const loop = abortableLoop(signal);
  for (const file of await candidates(fileAccess, chosen, asked, signal)) {
    await loop.step();
    for (const symbol of await fileAccess.index.outline(file.path)) {
      const own = symbol.name.toLowerCase();
      if (name !== undefined && own !== name) continue;
      if (prefix !== undefined && !own.startsWith(prefix)) continue;
      if (kinds.size === 0 || kinds.has(symbol.kind)) yield { path: file.path, symbol };
    }
  }
}

/** A name leads to its files at once; a prefix is searched for as text before anything is parsed. */
async function candidates(
  fileAccess: FileAccess,
  chosen: readonly IndexedFile[],
  asked: Asked,
  signal: AbortSignal,
): Promise<readonly IndexedFile[]> {
  if (asked.name !== undefined) {
    const defining = new Set(fileAccess.index.filesDefining(asked.name));
    return chosen.filter((file) => defining.has(file.path));
  }
  const few = 50;
  if (asked.prefix === undefined || chosen.length <= few || /[\0\r\n]/.test(asked.prefix)) return chosen;
  const holding = new Set<string>();
  const lines = fileAccess.index.repository.search(literalExpression(asked.prefix), { ignoreCase: true, signal });
  for await (const { path } of lines) holding.add(path);
  return chosen.filter((file) => holding.has(file.path));
}

function showSymbol(symbol: ListedSymbol, before: ListedSymbol | undefined): string {
  const title = before?.path === symbol.path ? "" : `${symbol.path}\n`;
  const container = symbol.container === null ? "" : ` in ${symbol.container}`;
  const lines = symbol.start === symbol.end ? `${symbol.start}` : `${symbol.start}-${symbol.end}`;
  return `${title}  ${lines}: ${symbol.kind} ${symbol.name}${container}`;
}
