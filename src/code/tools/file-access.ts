import { RelayError } from "../../lib/errors.ts";
import type { CodeIndex, IndexedFile } from "../code-index.ts";
import { treePath } from "../git/tree-path.ts";
import { refused } from "./answer.ts";
import type { Refusal } from "./answer.ts";
import { nearestPaths } from "./nearest-paths.ts";
import { protectedPaths } from "./protected-files.ts";
import { shownPath, withoutKeys } from "./sanitize.ts";
import { cannotOpen, unreadable } from "./file-status.ts";
import type { Standing } from "./file-status.ts";

export type Place = { kind: "file"; file: IndexedFile } | { kind: "folder"; path: string } | Refusal;

export interface ReadText {
  kind: "text";
  file: IndexedFile;
  /** Without keys; a line break at the end begins no line. */
  lines: string[];
}

/** What the tools may see of a commit: the paths of its tree, the contents of its open files (R-EXP-3). */
export interface FileAccess {
  readonly index: CodeIndex;
  /** Each tool's time, in seconds. */
  readonly seconds: number;
  /** What was added to the built-in rules of protected files. */
  readonly rules: readonly string[];
  /** Git's order; without paths that some file system takes for something else. */
  readonly files: readonly IndexedFile[];
  /** Whether the path is one of `files`, exactly. */
  has(path: string): boolean;
  standing(file: IndexedFile): Standing;
  /** The file or folder that a path written by a model means, or a refusal that helps on. */
  locate(path: string): Place;
  /** The text of an open file. */
  read(path: string): Promise<ReadText | Refusal>;
}

export interface TerritoryOptions {
  /** Globs of further files that must not be read; `!` before one opens what is protected otherwise. */
  protect?: readonly string[];
  /** Time limit of one call, in seconds. Default 15. */
  seconds?: number;
}

export function territoryOf(index: CodeIndex, options: TerritoryOptions = {}): FileAccess {
  const rules = options.protect ?? [];
  const isProtected = protectedPaths(rules);
  const files = index.files.filter((file) => treePath(file.path) === file.path);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const standings = new Map<string, Standing>();
  let folders: Set<string> | undefined;
  let byShown: Map<string, IndexedFile> | undefined;

  function standing(file: IndexedFile): Standing {
    if (file.skipped === "link" || file.skipped === "submodule") return file.skipped;
    const known = standings.get(file.path);
    if (known) return known;
    const found = isProtected(file.path) ? "protected" : "open";
    standings.set(file.path, found);
    return found;
  }

  function locate(written: string): Place {
    const said = JSON.stringify(shownPath(written));
    const path = treePath(written.replace(/\/+$/, ""));
    if (path === null) {
      return refused(`${said} is no path inside the repository; give it as find_files lists it, without ".."`);
    }
    // A path with hidden characters is shown without them.
    byShown ??= new Map(files.map((file) => [shownPath(file.path), file]));
    const file = byPath.get(path) ?? byShown.get(path);
    if (file) return { kind: "file", file };
    folders ??= foldersOf(files);
    if (folders.has(path)) return { kind: "folder", path };
    const parts = path.split("/");
    for (let length = 1; length < parts.length; length += 1) {
      const above = byPath.get(parts.slice(0, length).join("/"));
      if (above) return refused(`${shownPath(above.path)} ${cannotOpen(standing(above)) ?? "is a file, not a folder"}`);
    }
    const near = nearestPaths(
      path,
      files.filter((each) => standing(each) === "open").map((each) => each.path),
    );
    const hint = near.length > 0 ? `did you mean ${near.map(shownPath).join(" or ")}?` : "look for it with find_files";
    return refused(`there is no ${said} at this commit; ${hint}`);
  }

  async function read(written: string): Promise<ReadText | Refusal> {
    const place = locate(written);
    if (place.kind === "refused") return place;
    if (place.kind === "folder") {
      return refused(`${shownPath(place.path)} is a folder; list it with find_files ("${shownPath(place.path)}/")`);
    }
    const { file } = place;
    const shut = cannotOpen(standing(file));
    if (shut !== null) return refused(`${shownPath(file.path)} ${shut}`);
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
    standing,
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
