import { z } from "zod";
import type { FileRole } from "../classify.ts";
import type { IndexedFile } from "../code-index.ts";
import { baseName } from "../index/path-index.ts";
import { refused, type ExplorerTool } from "./answer.ts";
import { defineTool } from "./define-tool.ts";
import { compileGlob, isGlob } from "./glob.ts";
import { nearestPaths, type FileAccess, type FileStatus } from "./file-access.ts";
import { abortableLoop } from "./abortable-loop.ts";
import { pagingInput } from "./paging.ts";
import { shownPath } from "./sanitize.ts";

export interface ListedFile {
  path: string;
  standing: FileStatus;
  role: FileRole;
  language: string | null;
  bytes: number | null;
}

export interface FindFiles {
  tool: "find_files";
  files: ListedFile[];
  /** How many there are on all pages. */
  total: number;
}

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(300)
    .describe(
      'a glob ("src/**/*.ts", "*.sql"), a folder with "/" at its end ("src/"), or part of a name ("cartservice")',
    ),
  ...pagingInput({ results: 100, most: 1_000 }),
});

export function findFiles(fileAccess: FileAccess): ExplorerTool<FindFiles> {
  return defineTool(fileAccess, {
    name: "find_files",
    description:
      "Lists files of the repository by glob, folder, or part of their name. Use it to learn the layout, or when only a " +
      'name is known. A glob without "/" looks in all folders. Parts of names need not be exact; best first. Files ' +
      "marked protected, link or submodule exist and cannot be opened.",
    input,
    onTimeout: "use a narrower pattern",
    async list({ pattern }, signal) {
      const found = await filesFor(fileAccess, pattern, signal);
      if ("kind" in found) return found;
      return {
        heading: found.length === 1 ? "1 file" : `${found.length} files`,
        found,
        row: (file: IndexedFile): ListedFile => ({
          path: shownPath(file.path),
          standing: fileAccess.statusOf(file),
          role: file.role,
          language: file.language,
          bytes: file.bytes,
        }),
        show: (row: ListedFile) => `${row.path}${detail(row)}`,
        data: (files: ListedFile[]): FindFiles => ({ tool: "find_files", files, total: found.length }),
        nothing: "No file fits. Try part of a name, a shorter one, or a glob like **/*word*.",
      };
    },
  });
}

async function filesFor(fileAccess: FileAccess, pattern: string, signal: AbortSignal) {
  const loop = abortableLoop(signal);
  const byGlob = isGlob(pattern) || pattern.endsWith("/");
  const whole = pattern === "." || pattern === "./" ? "**" : pattern;
  if (byGlob || whole === "**") {
    const glob = compileGlob(whole);
    if (glob.kind === "refused") return refused(`cannot use ${JSON.stringify(shownPath(pattern))}: ${glob.reason}`);
    const files: IndexedFile[] = [];
    for (const file of fileAccess.files) {
      await loop.step();
      if (glob.test(file.path)) files.push(file);
    }
    return files;
  }
  const wanted = pattern.replace(/^\.\//, "").toLowerCase();
  if (wanted.startsWith("/") || wanted.split(/[/\\]/).includes("..")) {
    return refused('paths are relative to the top of the repository, without ".."');
  }
  const ranked: { file: IndexedFile; rank: number }[] = [];
  for (const file of fileAccess.files) {
    await loop.step();
    const rank = rankOf(file.path.toLowerCase(), wanted);
    if (rank !== null) ranked.push({ file, rank });
  }
  // Sorting keeps git's order among equals.
  if (ranked.length > 0) return ranked.toSorted((a, b) => a.rank - b.rank).map(({ file }) => file);
  const near = new Set(
    nearestPaths(
      wanted,
      fileAccess.files.map((file) => file.path),
    ),
  );
  return fileAccess.files.filter((file) => near.has(file.path));
}

/** Lower is better; `null` when not even the letters occur in this order. */
function rankOf(path: string, wanted: string): number | null {
  const name = baseName(path);
  if (path === wanted) return 0;
  if (name === wanted || path.endsWith(`/${wanted}`)) return 1;
  if (name.replace(/\.[^.]*$/, "") === wanted) return 2;
  if (name.startsWith(wanted)) return 3;
  if (name.includes(wanted)) return 4;
  if (path.includes(wanted)) return 5;
  const plain = wanted.replaceAll(/[-_. ]/g, "");
  if (plain.length > 2 && path.replaceAll(/[-_. ]/g, "").includes(plain)) return 6;
  return wanted.length > 3 && hasLettersOf(name, wanted) ? 7 : null;
}

function hasLettersOf(name: string, wanted: string): boolean {
  let at = 0;
  for (const character of wanted) {
    const found = name.indexOf(character, at);
    if (found === -1) return false;
    at = found + character.length;
  }
  return true;
}

function detail(row: ListedFile): string {
  if (row.standing !== "open") return ` [${row.standing}]`;
  const size =
    row.bytes === null ? "" : row.bytes < 10_000 ? `, ${row.bytes} B` : `, ${Math.round(row.bytes / 1_000)} kB`;
  return ` (${row.language ?? row.role}${size})`;
}
