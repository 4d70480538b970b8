import type { FindingSource, NoteKind } from "../../domain/finding.ts";
import { codeLinesOf } from "../../code/search/matched-lines.ts";
import type { OpenIndex } from "../../code/index/explorer.ts";
import { escapeRegExp } from "../../lib/text.ts";

export interface Note {
  kind: NoteKind;
  sources: FindingSource[];
}

const MOST_SOURCES = 4;
/** Files read to find the lines. */
const MOST_READ = 60;
/** A name in more files than this is too common to tell its callers by it. */
const MOST_FILES = 20;
/** Names that nobody writes by chance: `sortCards`, `sort_cards`, `Cards`. */
const SPEAKING = /\p{Lu}|_/u;
/** Lines among which a list names a file and two of its neighbours. */
const LIST = 12;
const NEIGHBOURS = 2;
const IMPORT =
  /^\s*(?:import|from|use|using|require|include|#include|package|export \* from|(?:const|let|var) .*=\s*require\()/;

/**
 * What depends on the place where the work begins (R-SPEC-20): who calls it, which tests hold what it does today, and
 * which lists that are kept by hand name it beside its neighbours.
 */
export async function notesOn(index: OpenIndex, subject: { path: string; symbol: string | null }): Promise<Note[]> {
  const { path } = subject;
  const { name, users } = await usersOf(index, subject);
  const importers = new Set(await index.importers(path));
  const using = await linesIn(index, users, (lines, file) => {
    const isCode = codeLinesOf(lines.join("\n"));
    // A word of everyday speech is used for other things, too.
    const isUse =
      importers.has(file) || SPEAKING.test(name) || index.file(file)?.role !== "source" ? () => true : calls;
    return lines.findIndex(
      (line, at) =>
        names(line, name) && !IMPORT.test(line) && isCode(at + 1) && !defines(line, name) && isUse(line, name),
    );
  });
  const of = (role: string) => using.filter(({ location }) => index.file(pathOf(location))?.role === role);
  const lists = await listsOf(index, path, new Set([...users, path]));
  const notes: Note[] = [
    { kind: "callers", sources: of("source") },
    { kind: "tests", sources: of("test") },
    { kind: "lists", sources: lists },
  ];
  return notes
    .filter(({ sources }) => sources.length > 0)
    .map(({ kind, sources }) => ({
      kind,
      sources: sources.slice(0, MOST_SOURCES).map((source) => ({ ...source, found_by: kind })),
    }));
}

/** The name by which others use the place, its symbol or its file, and the files that do. */
export async function usersOf(
  index: OpenIndex,
  { path, symbol }: { path: string; symbol: string | null },
): Promise<{ name: string; users: string[] }> {
  const stem = stemOf(path);
  const told = [symbol, COMMON.test(stem) ? null : stem].filter((one) => one !== null).filter((one) => one.length > 3);
  const rare = told.find((one) => index.filesWith(one).length <= MOST_FILES);
  const naming = rare === undefined ? [] : index.filesWith(rare);
  const users = [...new Set([...(await index.importers(path)), ...naming])].filter((one) => one !== path);
  return { name: rare ?? symbol ?? stem, users };
}

/** Names of files that many folders have. */
export const COMMON = /^(?:index|main|mod|lib|init|__init__|types|common)$/i;

/** Files elsewhere that name the file and its neighbours within a few lines. */
async function listsOf(index: OpenIndex, path: string, users: ReadonlySet<string>): Promise<FindingSource[]> {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const stem = stemOf(path);
  const neighbours = index.files
    .map((file) => file.path)
    .filter((one) => one !== path && one.startsWith(folder) && !one.slice(folder.length).includes("/"))
    .map(stemOf)
    .filter((one) => one.length > 3 && one !== stem);
  if (stem.length < 4 || new Set(neighbours).size < NEIGHBOURS) return [];
  const others = index
    .filesWith(stem)
    .filter((one) => !users.has(one) && !one.startsWith(folder) && mayList(index, one));
  return await linesIn(index, others, (lines) =>
    lines.findIndex((line, at) => {
      if (!names(line, stem)) return false;
      const around = lines.slice(Math.max(0, at - LIST / 2), at + LIST / 2);
      const beside = new Set(neighbours.filter((one) => around.some((text) => text !== line && names(text, one))));
      return beside.size >= NEIGHBOURS;
    }),
  );
}

/** Prose, such as a changelog, has the words of many files on neighbouring lines, and is no list of them. */
function mayList(index: OpenIndex, path: string): boolean {
  const role = index.file(path)?.role;
  return role === "source" || role === "config";
}

async function linesIn(
  index: OpenIndex,
  paths: readonly string[],
  find: (lines: string[], path: string) => number,
): Promise<FindingSource[]> {
  const found: FindingSource[] = [];
  for (const path of paths.slice(0, MOST_READ)) {
    const text = await index.repository.readFile(path).catch(() => null);
    const lines = text?.split("\n") ?? [];
    const at = find(lines, path);
    if (at >= 0) found.push({ location: `${path}:${at + 1}`, snippet: (lines[at] ?? "").trim().slice(0, 200) });
  }
  return found;
}

/** `readings(`, `client.readings`, `&readings`. */
function calls(line: string, name: string): boolean {
  const own = escapeRegExp(name);
  return new RegExp(`(?:(?:\\.|::|->|[&#@<])${own}(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_$])${own}[!?]?\\()`, "u").test(
    line,
  );
}

/** Another thing of the same name. */
function defines(line: string, name: string): boolean {
  return new RegExp(
    `(?<!\\p{L})(?:def|fn|func|fun|function|sub|class|interface|struct|enum|trait|type)\\s+(?:\\([^)]*\\)\\s*|self\\.)?${escapeRegExp(name)}(?![\\p{L}\\p{N}_])`,
    "u",
  ).test(line);
}

function names(line: string, name: string): boolean {
  return (
    line.includes(name) && new RegExp(`(?<![\\p{L}\\p{N}_])${escapeRegExp(name)}(?![\\p{L}\\p{N}_])`, "u").test(line)
  );
}

function stemOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\..*$/, "");
}

function pathOf(location: string): string {
  return location.replace(/:\d+$/, "");
}
