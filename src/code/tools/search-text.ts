import { z } from "zod";
import type { IndexedFile } from "../code-index.ts";
import { extendedRegex, literalExpression, type ExtendedRegex } from "../git/extended-regex.ts";
import type { FoundLine } from "../git/grep.ts";
import { refused, type ExplorerTool } from "./answer.ts";
import { defineTool } from "./define-tool.ts";
import { pagingInput } from "./paging.ts";
import { selectFiles, closedFilesNote, pathsInput } from "./path-filter.ts";
import { REMOVED, looksLikeKey, shownPath, shownText, withoutStrayKey, type ShownLine } from "./sanitize.ts";
import type { FileAccess } from "./file-access.ts";

export interface TextMatch extends ShownLine {
  path: string;
  before: ShownLine[];
  after: ShownLine[];
}

export interface SearchText {
  tool: "search_text";
  matches: TextMatch[];
}

const CONTEXT_CHARACTERS = 200;
/** If there are fewer files than this, git gets their paths. */
const NAMED_FILES = 200;
const LITERAL = 'The "|" was taken literally; set "regex" to search for one of several words.';

const input = z.strictObject({
  text: z.string().min(1).max(1_000).describe("what to look for, on one line"),
  regex: z.boolean().default(false).describe("text is a regular expression (no look-around, no back-references)"),
  ignore_case: z.boolean().default(false),
  context: z.int().min(0).max(5).default(0).describe("lines shown before and after each match"),
  paths: pathsInput,
  ...pagingInput({ results: 50, most: 200 }),
});

export function searchText(fileAccess: FileAccess): ExplorerTool<SearchText> {
  const { repository } = fileAccess.index;
  return defineTool(fileAccess, {
    name: "search_text",
    description:
      "Finds lines of text files that contain a text or fit a regular expression, by file and line. Use it for " +
      "messages, configuration keys, routes and anything that is no name of code (for those, find_references and " +
      "list_symbols tell more). Returns path, line number and line, long lines cut around the match (…). Binary files " +
      "and files that may hold credentials are not searched.",
    input,
    onTimeout: 'narrow it with paths ("!*.min.js" leaves out files of very long lines), or make the expression simpler',
    async list({ text, regex, ignore_case: ignoreCase, context, paths }, signal) {
      if (/[\0\r\n]/.test(text)) return refused("search for one line at a time, without line breaks or NUL");
      const expression: ExtendedRegex = regex
        ? extendedRegex(text)
        : { kind: "expression", text: literalExpression(text) };
      if (expression.kind === "refused") return refused(`cannot use this expression: ${expression.reason}`);
      const pattern = expression.text;
      const selected = await selectFiles(fileAccess, paths, signal);
      if (selected.kind === "refused") return selected;
      const allowed = new Set(selected.files.map((file) => file.path));
      const options = { ignoreCase, signal, ...named(selected.files) };
      async function* found(): AsyncGenerator<FoundLine, void> {
        if (allowed.size === 0) return;
        for await (const line of repository.search(pattern, options)) if (allowed.has(line.path)) yield line;
      }
      return {
        heading: "",
        found: found(),
        row: (line: FoundLine) => matchOf(fileAccess, line, context),
        show: showMatch,
        data: (matches: TextMatch[]): SearchText => ({ tool: "search_text", matches }),
        nothing: `Nothing found in ${selected.files.length} files. Try fewer or other words, ignore_case, or other paths.`,
        note: [!regex && text.includes("|") ? LITERAL : "", closedFilesNote(selected.closed)]
          .filter(Boolean)
          .join("\n"),
      };
    },
  });
}

/** Command lines have a length limit; beyond it git searches everything and the matches are filtered. */
function named(files: readonly IndexedFile[]): { under?: string[] } {
  const under = files.map((file) => file.path);
  const fits = under.length <= NAMED_FILES && under.join("").length < 50_000;
  return fits ? { under } : {};
}

async function matchOf(fileAccess: FileAccess, found: FoundLine, context: number): Promise<TextMatch> {
  const path = shownPath(found.path);
  const read = context > 0 || looksLikeKey(found.text) ? await fileAccess.read(found.path) : null;
  if (read === null || read.kind === "refused") {
    const text = read === null ? found.text : withoutStrayKey(found.text);
    return { path, line: found.line, text: shownMatch(found, text), before: [], after: [] };
  }
  const around = (from: number, to: number): ShownLine[] =>
    read.lines
      .slice(Math.max(0, from - 1), Math.max(0, to))
      .map((text, index) => ({ line: Math.max(1, from) + index, text: shownText(text, CONTEXT_CHARACTERS) }));
  const text = read.lines[found.line - 1] === REMOVED ? REMOVED : shownMatch(found, found.text);
  return {
    path,
    line: found.line,
    text,
    before: around(found.line - context, found.line - 1),
    after: around(found.line + 1, found.line + context),
  };
}

function shownMatch(found: FoundLine, text: string): string {
  const shown = shownText(text, undefined, found.at);
  const before = found.cutBefore && !shown.startsWith("…") ? "…" : "";
  return `${before}${shown}${found.cutAfter && !shown.endsWith("…") ? "…" : ""}`;
}

function showMatch(match: TextMatch, before: TextMatch | undefined): string {
  const title = before?.path === match.path ? "" : `${match.path}\n`;
  const gap = title === "" && match.before.length + match.after.length > 0 ? "  --\n" : "";
  const own = `  ${match.line}: ${match.text}\n`;
  return `${title}${gap}${showAround(match.before)}${own}${showAround(match.after)}`.slice(0, -1);
}

function showAround(lines: readonly ShownLine[]): string {
  return lines.map((each) => `  ${each.line}- ${each.text}\n`).join("");
}
