import type { Dirent } from "node:fs";
import { lstat, opendir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { readPlain } from "../workspace/plain-file.ts";

/**
 * Limits on one command's reports: files that are examined, bytes of all reports, folders of the tree that are
 * searched.
 */
const MOST_FILES = 5_000;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_FOLDERS = 20_000;
const DEEPEST = 12;

export interface ReportFile {
  name: string;
  text: string;
}

/**
 * The files with matching names in these folders that are no older than `since`; those beyond the limits are left out.
 */
export async function readReports(folders: readonly string[], names: RegExp, since: number): Promise<ReportFile[]> {
  const files: ReportFile[] = [];
  let left = MOST_BYTES;
  for (const folder of folders) {
    const real = await realpath(folder).catch(() => folder);
    const found = (await entriesOf(folder)).filter((entry) => entry.isFile() && names.test(entry.name));
    for (const { name } of found) {
      if (files.length >= MOST_FILES) return files;
      const changed = (await lstat(join(real, name)).catch(() => null))?.mtimeMs ?? 0;
      if (changed < since) continue;
      const bytes = await readPlain(real, Buffer.from(name).toString("latin1"), left).catch(() => null);
      if (bytes === null) continue;
      left -= bytes.length;
      files.push({ name, text: new TextDecoder().decode(bytes) });
    }
  }
  return files;
}

/** Folders of the tree whose path matches, not through links and not inside packages. */
export async function foldersLike(directory: string, like: RegExp): Promise<string[]> {
  const found: string[] = [];
  const queue = [{ path: directory, depth: 0 }];
  for (let at = 0; at < queue.length && at < MOST_FOLDERS; at += 1) {
    const next = queue[at];
    if (next === undefined) break;
    if (like.test(next.path)) found.push(next.path);
    if (next.depth >= DEEPEST) continue;
    for (const entry of await entriesOf(next.path)) {
      if (!entry.isDirectory() || entry.name.startsWith(".") || entry.name === "node_modules") continue;
      queue.push({ path: join(next.path, entry.name), depth: next.depth + 1 });
    }
  }
  return found;
}

/** The first entries of a folder; empty if it is no folder, or a link to one. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  try {
    if (!(await lstat(folder)).isDirectory()) return [];
    for await (const entry of await opendir(folder)) {
      entries.push(entry);
      if (entries.length >= MOST_FILES) break;
    }
  } catch {
    // It may be gone, or not readable for Relay.
  }
  return entries;
}
