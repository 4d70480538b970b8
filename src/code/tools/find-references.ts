import { z } from "zod";
import type { IndexedFile } from "../code-index.ts";
import { refused, type ExplorerTool } from "./answer.ts";
import { defineTool } from "./define-tool.ts";
import { abortableLoop } from "./abortable-loop.ts";
import { pagingInput } from "./paging.ts";
import { selectFiles, closedFilesNote, pathsInput } from "./path-filter.ts";
import { shownPath, shownText, type ShownLine } from "./sanitize.ts";
import type { FileAccess } from "./file-access.ts";

export interface Reference extends ShownLine {
  path: string;
  /** Whether the line defines the name, according to the outline. */
  defines: boolean;
}

export interface FindReferences {
  tool: "find_references";
  references: Reference[];
}

interface FoundReference {
  path: string;
  line: number;
  text: string;
  at: number;
  defines: boolean;
}

const NAME = /^[\p{L}\p{N}_$]+$/u;
const LETTER_BEFORE = /[\p{L}\p{N}_$]$/u;
const LETTER_AFTER = /^[\p{L}\p{N}_$]/u;

const input = z.strictObject({
  name: z.string().min(1).max(200).describe("one identifier, without dots or brackets"),
  paths: pathsInput,
  ...pagingInput({ results: 100, most: 500 }),
});

export function findReferences(fileAccess: FileAccess): ExplorerTool<FindReferences> {
  return defineTool(fileAccess, {
    name: "find_references",
    description:
      "Finds the lines where an identifier stands as a whole word in exactly this case, by file, lines that define it " +
      "marked [def]. Use it to see who calls or uses something. By name, not by type: other things of the same name, " +
      "comments and strings are among them. Files over the index's limit and protected files are not looked into.",
    input,
    onTimeout: "narrow it with paths",
    async list({ name: written, paths }, signal) {
      const name = written.trim().replace(/^[#@.]|\(\)$/g, "");
      if (!NAME.test(name)) {
        const last = name.split(/[^\p{L}\p{N}_$]+/u).findLast((part) => part !== "");
        const hint = last === undefined ? "" : `did you mean "${last}"? `;
        return refused(`this looks for one identifier; ${hint}search_text looks for any text`);
      }
      const selected = await selectFiles(fileAccess, paths, signal);
      if (selected.kind === "refused") return selected;
      const holding = new Set(fileAccess.index.filesWith(name));
      const files = selected.files.filter((file) => holding.has(file.path));
      return {
        heading: "",
        found: referencesIn(fileAccess, files, name, signal),
        row: (found: FoundReference): Reference => ({
          path: shownPath(found.path),
          line: found.line,
          text: shownText(found.text, undefined, found.at),
          defines: found.defines,
        }),
        show: showReference,
        data: (references: Reference[]): FindReferences => ({ tool: "find_references", references }),
        nothing: `"${shownText(name)}" stands nowhere as a whole word. Check its case, or use search_text for parts of words.`,
        note: closedFilesNote(selected.closed),
      };
    },
  });
}

async function* referencesIn(
  fileAccess: FileAccess,
  files: readonly IndexedFile[],
  name: string,
  signal: AbortSignal,
): AsyncGenerator<FoundReference, void> {
  const defining = new Set(fileAccess.index.filesDefining(name));
  const loop = abortableLoop(signal);
  for (const { path } of files) {
    const read = await fileAccess.read(path);
    if (read.kind === "refused") continue;
    const outline = defining.has(path) ? await fileAccess.index.outline(path) : [];
    const starts = new Set(outline.filter((symbol) => symbol.name === name).map((symbol) => symbol.start));
    // A symbol may begin above the line with its name: decorators, a comment, its type.
    let awaited = false;
    for (const [index, text] of read.lines.entries()) {
      await loop.step();
      awaited ||= starts.has(index + 1);
      const at = wordAt(text, name);
      if (at === -1) continue;
      yield { path, line: index + 1, text, at, defines: awaited };
      awaited = false;
    }
  }
}

function wordAt(text: string, name: string): number {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + name.length)) {
    const before = text.slice(Math.max(0, at - 2), at);
    const after = text.slice(at + name.length, at + name.length + 2);
    if (!LETTER_BEFORE.test(before) && !LETTER_AFTER.test(after)) return at;
  }
  return -1;
}

function showReference(reference: Reference, before: Reference | undefined): string {
  const title = before?.path === reference.path ? "" : `${reference.path}\n`;
  return `${title}  ${reference.line}:${reference.defines ? " [def]" : ""} ${reference.text}`;
}
