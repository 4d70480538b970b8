import type { ExplorerData } from "../tools/explorer-tools.ts";
import type { Location } from "./source-lookup.ts";

/** What an exploration has shown to its model, and what it was asked to search for. */
export interface Seen {
  line(path: string, line: number): void;
  /** The lines in a tool's result. */
  data(data: ExplorerData): void;
  /** The input of a search. */
  searched(input: unknown): void;
  /** Whether enough of these lines was shown to cite them. */
  shows(location: Location): boolean;
  /** Whether a search looked for this text. */
  wasSearched(text: string): boolean;
}

/** A shown line also makes its neighbours citable. */
const AROUND = 2;
/** Share of the cited lines that must have been shown. */
const SHARE = 0.5;

export function seenLines(): Seen {
  const lines = new Map<string, Set<number>>();
  const searches: string[] = [];
  const line = (path: string, at: number) => {
    const known = lines.get(path) ?? new Set();
    lines.set(path, known);
    for (let near = at - AROUND; near <= at + AROUND; near += 1) known.add(near);
  };
  return {
    line,
    data(data) {
      switch (data.tool) {
        case "read_lines":
          for (const row of data.lines) line(data.path, row.line);
          return;
        case "search_text":
          for (const { path, ...match } of data.matches) {
            for (const row of [match, ...match.before, ...match.after]) line(path, row.line);
          }
          return;
        case "find_references":
          for (const row of data.references) line(row.path, row.line);
          return;
        case "find_files":
        case "list_symbols":
        case "imports_of":
        case "history":
          return;
        default:
          data satisfies never;
      }
    },
    searched: (input) => void searches.push(JSON.stringify(input).toLowerCase()),
    shows({ path, start, end }) {
      const known = lines.get(path);
      if (known === undefined) return false;
      let shown = 0;
      for (let at = start; at <= end; at += 1) if (known.has(at)) shown += 1;
      return shown >= (end - start + 1) * SHARE;
    },
    wasSearched: (text) => {
      const wanted = JSON.stringify(text.trim().toLowerCase()).slice(1, -1);
      return wanted !== "" && searches.some((search) => search.includes(wanted));
    },
  };
}
