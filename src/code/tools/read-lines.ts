import { z } from "zod";
import { refused, type ExplorerTool } from "./answer.ts";
import { defineTool } from "./define-tool.ts";
import { pagingInput } from "./paging.ts";
import { shownPath, shownText, type ShownLine } from "./sanitize.ts";
import type { FileAccess } from "./file-access.ts";

export interface ReadLines {
  tool: "read_lines";
  path: string;
  /** Lines of the whole file. */
  total: number;
  lines: ShownLine[];
}

/** Longer than elsewhere, since the model asked for this one file. */
const LINE_LIMIT = 1_000;

const input = z.strictObject({
  path: z.string().min(1).max(5_000),
  start: z.int().min(1).max(10_000_000).default(1).describe("first line, from 1"),
  end: z.int().min(1).max(10_000_000).optional().describe("last line, included; the file's end where left out"),
  ...pagingInput({ results: 400, most: 1_000 }),
});

export function readLines(fileAccess: FileAccess): ExplorerTool<ReadLines> {
  return defineTool(fileAccess, {
    name: "read_lines",
    description:
      "Reads lines of one text file, numbered as in the file. Use it after a search, list_symbols or find_files named " +
      "the place; ask for the lines around it rather than the whole file. Lines over 1,000 characters are cut (…); " +
      "binary files, files over 2 MiB, links, and files that may hold credentials are refused.",
    input,
    onTimeout: "ask for fewer lines",
    async list({ path, start, end }) {
      const text = await fileAccess.read(path);
      if (text.kind === "refused") return text;
      const total = text.lines.length;
      const name = shownPath(text.file.path);
      if (start > Math.max(total, 1)) return refused(`${name} has ${total} lines; ask for lines from 1 to ${total}`);
      if (end !== undefined && end < start) return refused(`the end (${end}) is before the start (${start})`);
      const last = Math.min(end ?? total, total);
      const width = String(last).length;
      return {
        heading: `${name} (${total} lines)`,
        found: Array.from({ length: Math.max(0, last - start + 1) }, (_, index) => start + index),
        row: (line: number): ShownLine => ({ line, text: shownText(text.lines[line - 1] ?? "", LINE_LIMIT) }),
        show: (row: ShownLine) => `${String(row.line).padStart(width)}| ${row.text}`,
        data: (lines: ShownLine[]): ReadLines => ({ tool: "read_lines", path: name, total, lines }),
        nothing: "The file is empty.",
      };
    },
  });
}
