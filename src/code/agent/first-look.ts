import { readIssue } from "../../domain/issue-text/issue-reading.ts";
import type { OpenIndex } from "../index/explorer.ts";
import { locate, reasonText } from "../search/locate.ts";
import type { Located } from "../search/locate.ts";
import { searchTerms } from "../search/search-terms.ts";
import { shownPath, shownText } from "../tools/sanitize.ts";
import type { FileAccess } from "../tools/file-access.ts";

const CHARACTERS = 8_000;
const REASONS = 3;
const SYMBOLS = 5;
const LINES = 4;
const PART_CHARACTERS = 160;

/**
 * The files that seem to be about a question, with the reasons, symbols and lines: what a model would otherwise find
 * out in its first steps. Nothing of a file that the tools would not open. Empty where nothing speaks for any file.
 */
export async function firstLook(
  index: OpenIndex,
  fileAccess: FileAccess,
  asked: { question: string; context: string },
  files: number,
): Promise<string> {
  const reading = readIssue({ title: asked.question, body: `${asked.question}\n\n${asked.context}`, labels: [] });
  const located = await locate(index, searchTerms(reading), { limit: files });
  const shown: string[] = [];
  let room = CHARACTERS;
  for (const file of located) {
    const entry = index.file(file.path);
    if (entry === undefined || !fileAccess.has(file.path) || fileAccess.standing(entry) !== "open") continue;
    const text = entryOf(file);
    room -= text.length + 1;
    if (room < 0) break;
    shown.push(text);
  }
  return shown.join("\n");
}

function entryOf({ path, role, reasons, symbols, lines }: Located): string {
  const why = reasons.slice(0, REASONS).map((reason) => part(reasonText(reason)));
  return [
    `${shownPath(path)} (${role})${why.length === 0 ? "" : `: ${why.join("; ")}`}`,
    ...symbols.slice(0, SYMBOLS).map(({ kind, name, start, end }) => `  ${start}-${end} ${kind} ${part(name)}`),
    ...lines.slice(0, LINES).flatMap(({ line, text }) => (text === "" ? [] : [`  ${line}: ${part(text.trim())}`])),
  ].join("\n");
}

function part(text: string): string {
  return shownText(text, PART_CHARACTERS);
}
