import { distance } from "fastest-levenshtein";
import { RelayError } from "../../lib/errors.ts";
import type { CodeIndex, IndexedFile } from "../code-index.ts";
import { treePath } from "../git/tree-path.ts";
import { baseName } from "../index/path-index.ts";
import { refused, type Refusal } from "./answer.ts";
import { protectedPaths } from "./protected-files.ts";
import { shownPath, withoutKeys } from "./sanitize.ts";

/** Only `open` files are read; the others are merely listed. */
export type FileStatus = "open" | "protected" | "link" | "submodule";

export type PathTarget = { kind: "file"; file: IndexedFile } | { kind: "folder"; path: string } | Refusal;

export interface ReadText {
  kind: "text";
  file: IndexedFile;
  /** With private keys masked; a trailing line break adds no line. */
  lines: string[];
}

/** What the tools may see of a commit: all paths of its tree, and the contents of open files (R-EXP-3). */
export interface FileAccess {
  readonly index: CodeIndex;
  /** Time limit of one tool call, in seconds. */
  readonly seconds: number;
  /** Globs added to the built-in rules of protected files. */
  readonly rules: readonly string[];
  /** In git's order, without paths that some file system would resolve to another file. */
  readonly files: readonly IndexedFile[];
  /** Whether exactly this path is in `files`. */
  has(path: string): boolean;
  statusOf(file: IndexedFile): FileStatus;
  /** Resolves a path written by a model to a file or folder; a refusal says what to do instead. */
  locate(path: string): PathTarget;
  /** The text of an open file. */
  read(path: string): Promise<ReadText | Refusal>;
}

export interface FileAccessOptions {
  /** Globs of further protected files; a leading `!` opens files that are protected by default. */
  protect?: readonly string[];
  /** Time limit of one tool call, in seconds. Default 15. */
  seconds?: number;
}

/** Throws `RelayError` `config` for a glob in `options.protect` that cannot be read. */
export function createFileAccess(index: CodeIndex, options: FileAccessOptions = {}): FileAccess {
  const rules = options.protect ?? [];
  const isProtected = protectedPaths(rules);
  const files = index.files.filter((file) => treePath(file.path) === file.path);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const statuses = new Map<string, FileStatus>();
  let folders: Set<string> | undefined;
  let byShown: Map<string, IndexedFile> | undefined;

  function statusOf(file: IndexedFile): FileStatus {
    if (file.skipped === "link" || file.skipped === "submodule") return file.skipped;
    const known = statuses.get(file.path);
    if (known) return known;
    const found = isProtected(file.path) ? "protected" : "open";
    statuses.set(file.path, found);
    return found;
  }

  function locate(written: string): PathTarget {
    const quoted = JSON.stringify(shownPath(written));
    const path = treePath(written.replace(/\/+$/, ""));
    if (path === null) {
      return refused(`${quoted} is no path inside the repository; give it as find_files lists it, without ".."`);
    }
    // Paths are displayed without hidden characters, so a model asks for them that way.
    byShown ??= new Map(files.map((file) => [shownPath(file.path), file]));
    const file = byPath.get(path) ?? byShown.get(path);
    if (file) return { kind: "file", file };
    folders ??= foldersOf(files);
    if (folders.has(path)) return { kind: "folder", path };
    const parts = path.split("/");
    for (let length = 1; length < parts.length; length += 1) {
      const above = byPath.get(parts.slice(0, length).join("/"));
      if (above) return refused(`${shownPath(above.path)} ${whyClosed(statusOf(above)) ?? "is a file, not a folder"}`);
    }
    const near = nearestPaths(
      path,
      files.filter((each) => statusOf(each) === "open").map((each) => each.path),
    );
    const hint = near.length > 0 ? `did you mean ${near.map(shownPath).join(" or ")}?` : "look for it with find_files";
    return refused(`there is no ${quoted} at this commit; ${hint}`);
  }

  async function read(written: string): Promise<ReadText | Refusal> {
    const target = locate(written);
    if (target.kind === "refused") return target;
    if (target.kind === "folder") {
      return refused(`${shownPath(target.path)} is a folder; list it with find_files ("${shownPath(target.path)}/")`);
    }
    const { file } = target;
    const closed = whyClosed(statusOf(file));
    if (closed !== null) return refused(`${shownPath(file.path)} ${closed}`);
    if (file.skipped === "pointer") return refused(`${shownPath(file.path)} is kept outside the repository (LFS)`);
    try {
      const text = await index.repository.readFile(file.path);
      if (text === null) return refused(`there is no file ${shownPath(file.path)} at this commit`);
      const lines = text.split("\n");
      if (lines.at(-1) === "") lines.pop();
      return { kind: "text", file, lines: withoutKeys(lines) };
    } catch (error) {
      const reason = error instanceof RelayError ? unreadable(error) : null;
      if (reason === null) throw error;
      return refused(`${shownPath(file.path)} ${reason}`);
    }
  }

  return {
    index,
    seconds: options.seconds ?? 15,
    rules,
    files,
    has: (path) => byPath.has(path),
    statusOf,
    locate,
    read,
  };
}

function foldersOf(files: readonly IndexedFile[]): Set<string> {
  const folders = new Set<string>();
  for (const { path } of files) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

/** Why the tools never open a file, as the end of a sentence; `null` for an open one. */
export function whyClosed(status: FileStatus): string | null {
  switch (status) {
    case "open":
      return null;
    case "protected":
      return "may hold credentials and is never shown; look for the code that reads it instead";
    case "link":
      return "is a symbolic link, which is never followed; look for what it means with find_files";
    case "submodule":
      return "is a submodule, whose content is in another repository";
    default:
      return status satisfies never;
  }
}

/** Why a file cannot be read, as the end of a sentence; `null` for failures that are not about the file. */
function unreadable(error: RelayError): string | null {
  switch (error.code) {
    case "invalid":
      return "is a binary file";
    case "too_large":
      return "is too large to be read whole; search_text finds lines in it";
    case "not_found":
      return "is not held by this clone";
    case "forbidden":
      return "cannot be opened";
    default:
      return null;
  }
}

const SUGGESTIONS = 3;
const LONGEST_NAME = 80;

/** Suggests up to three paths for a wrong one: the same name elsewhere, then names within a small edit distance. */
export function nearestPaths(written: string, paths: readonly string[]): string[] {
  const path = written.toLowerCase();
  const name = baseName(path);
  if (name.length > LONGEST_NAME) return [];
  const allowed = name.length < 5 ? 1 : Math.max(2, Math.floor(name.length / 4));
  return paths
    .flatMap((candidate) => {
      const other = baseName(candidate).toLowerCase();
      if (Math.abs(other.length - name.length) > allowed) return [];
      const edits = other === name ? 0 : distance(other, name);
      return edits > allowed ? [] : [{ candidate, edits }];
    })
    .map(({ candidate, edits }) => ({ candidate, edits, folders: sharedFolders(candidate.toLowerCase(), path) }))
    .toSorted((a, b) => a.edits - b.edits || b.folders - a.folders || a.candidate.length - b.candidate.length)
    .slice(0, SUGGESTIONS)
    .map(({ candidate }) => candidate);
}

function sharedFolders(left: string, right: string): number {
  const folders = new Set(left.split("/").slice(0, -1));
  return right.split("/").filter((folder) => folders.has(folder)).length;
}
