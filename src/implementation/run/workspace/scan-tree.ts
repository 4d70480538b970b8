import { chmod, readdir } from "node:fs/promises";
import { stripHiddenCharacters } from "../../../domain/text/hidden-characters.ts";
import { systemCode } from "../../../lib/errors.ts";
import type { PathTest } from "../../../code/tools/glob.ts";
import { compare, isUnchanged, look, type Difference } from "./compare.ts";
import { IGNORE_FILE, type IgnoreQuery, type Ignored } from "./ignored.ts";
import type { TrackedFile } from "./index-file.ts";
import type { Format } from "./plain-file.ts";
import { foldersOf, newFolderOf, pathIn, shownPath, type RawPath } from "./raw-path.ts";

/** The folder in the tree for the agent's notes. */
export const NOTES = ".relay-task";

export interface ScanContext {
  tree: string;
  tracked: ReadonlyMap<RawPath, TrackedFile>;
  ignored: Ignored;
  format: Format;
  /** New files that count although git ignores them; if left out, there are none. */
  neverIgnored?: PathTest;
}

/**
 * New folders that set-up creates, even if no `.gitignore` names them: Python virtual environments, which contain this
 * file, and packages that npm and pip install. They stay in the tree, and are never committed (R-WORK-16).
 */
const VIRTUAL_ENVIRONMENT = "pyvenv.cfg";
const INSTALLED = /^node_modules$|\.egg-info$/;

/** Files that `patch` leaves as backups or rejects. Never committed either. */
const LEFT_BY_PATCH = /\.(?:rej|orig)$/;

/**
 * Beyond this number, new files are not examined one by one: no valid change has as many. A new folder with more counts
 * as a single difference, including all that is in it.
 */
const MOST_NEW = { files: 20_000, inFolder: 5_000 };
/** The system does not accept longer paths in one call. */
const LONGEST_PATH = 3_000;
const AT_ONCE = 32;

/**
 * Compares the tree with the commit as git would, but without git: nothing in the tree is used as a setting, and no
 * program of it runs. Ignore rules apply to new files only.
 */
export async function scanTree(scan: ScanContext): Promise<Difference[]> {
  const { tree, tracked, ignored, format, neverIgnored } = scan;
  const folders = foldersOf(tracked.keys());
  const present = new Set<RawPath>();
  const found: Difference[] = [];
  let news = 0;
  /** New files by their outermost new folder, and the folders that have too many of them. */
  const newIn = new Map<RawPath, number>();
  const crowds = new Set<RawPath>();
  const isCrowd = (path: RawPath): boolean => crowds.size > 0 && crowds.has(newFolderOf(path, folders) ?? "");
  await ignored.begin();
  let level: RawPath[] = [""];
  while (level.length > 0) {
    const next: RawPath[] = [];
    const fresh: IgnoreQuery[] = [];
    for await (const { folder, entries } of listings(tree, level)) {
      const isNew = folder !== "" && !folders.has(folder);
      if (isCrowd(`${folder}/`)) continue;
      const isInstalled = isNew && entries.some(({ name }) => name === VIRTUAL_ENVIRONMENT);
      if (isInstalled && neverIgnored?.(`${folder}/*`) !== true) continue;
      const inner = entries.filter(({ name }) => isGitName(name));
      const names = new Set(entries.map(({ name }) => name));
      const isLeft = (name: string, path: RawPath) =>
        LEFT_BY_PATCH.test(name) && names.has(name.replace(LEFT_BY_PATCH, "")) && neverIgnored?.(path) !== true;
      if (entries === TOO_DEEP || (isNew && news > MOST_NEW.files)) {
        found.push(overflow(folder));
        continue;
      }
      if (isNew && inner.length > 0) {
        found.push({ path: folder, head: null, kind: "unsupported", what: "a git repository of its own" });
        continue;
      }
      if (entries.some(({ name }) => name === IGNORE_FILE)) await ignored.learn(folder);
      for (const entry of entries) {
        const { name, isFolder } = entry;
        if (folder === "" && (name === ".git" || name === NOTES)) continue;
        const path = folder === "" ? name : `${folder}/${name}`;
        const head = tracked.get(path);
        if (head !== undefined) {
          present.add(path);
          const difference = isUnchanged(tree, path, head) ? null : await compare(tree, path, head, format);
          if (difference !== null) found.push(difference);
          // A folder replaced the file: everything in it is new.
          if (isFolder && head.mode !== "160000") next.push(path);
        } else if (inner.includes(entry)) {
          found.push({ path, head: null, kind: "unsupported", what: "settings of git" });
        } else if (isFolder && folders.has(path)) {
          next.push(path);
        } else if (isFolder ? !INSTALLED.test(name) : !isLeft(name, path)) {
          fresh.push({ path, isFolder });
        }
      }
    }
    const passed = await ignored.among(fresh);
    for (const { path, isFolder } of fresh) {
      if (passed.has(path) && neverIgnored?.(isFolder ? `${path}/*` : path) !== true) continue;
      if (isFolder) {
        next.push(path);
        continue;
      }
      if (isCrowd(path)) continue;
      news += 1;
      const outermost = newFolderOf(path, folders);
      const among = (outermost === null ? 0 : (newIn.get(outermost) ?? 0)) + 1;
      if (outermost !== null) newIn.set(outermost, among);
      if (outermost !== null && among > MOST_NEW.inFolder) {
        crowds.add(outermost);
        news -= among;
        continue;
      }
      const difference = news > MOST_NEW.files ? overflow(path) : await look(tree, path, null);
      if (difference !== null) found.push(difference);
    }
    level = next;
  }
  for (const [path, head] of tracked) {
    // Git stores only the commit of a submodule, so its folder may be missing.
    if (!present.has(path) && head.mode !== "160000" && !isNote(path)) found.push({ path, head, kind: "deleted" });
  }
  return [...[...crowds].map(overflow), ...found.filter(({ path, head }) => head !== null || !isCrowd(path))];
}

interface Entry {
  name: RawPath;
  isFolder: boolean;
}

const TOO_DEEP: readonly Entry[] = [];

/** The entries of all folders of one level, in order; several folders are read at once. */
async function* listings(
  tree: string,
  level: readonly RawPath[],
): AsyncGenerator<{ folder: RawPath; entries: readonly Entry[] }> {
  for (let at = 0; at < level.length; at += AT_ONCE) {
    const folders = level.slice(at, at + AT_ONCE);
    const read = await Promise.all(folders.map((folder) => entriesOf(tree, folder)));
    for (const [index, folder] of folders.entries()) yield { folder, entries: read[index] ?? TOO_DEEP };
  }
}

async function entriesOf(tree: string, folder: RawPath): Promise<readonly Entry[]> {
  if (folder.length > LONGEST_PATH) return TOO_DEEP;
  const path = pathIn(tree, folder);
  const read = async (): Promise<Entry[]> => {
    const entries = await readdir(path, { withFileTypes: true, encoding: "buffer" });
    return entries.map((entry) => ({ name: entry.name.toString("latin1"), isFolder: entry.isDirectory() }));
  };
  try {
    return await read();
  } catch (error) {
    const code = systemCode(error);
    // Gone, or not a folder any more: its files count as deleted.
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    if (code !== "EACCES") throw error;
    await chmod(path, 0o700);
    return await read();
  }
}

function overflow(path: RawPath): Difference {
  return { path, head: null, kind: "overflow" };
}

/** Names that some file system treats as `.git`: if committed, they would be git settings on such a system. */
function isGitName(name: string): boolean {
  if (!/git|[^\x20-\x7e]/i.test(name)) return false;
  const plain = stripHiddenCharacters(shownPath(name))
    .toLowerCase()
    .replace(/[:\\].*$/s, "")
    .replace(/[. ]+$/, "");
  return plain === ".git" || /^git~[0-9]+$/.test(plain);
}

function isNote(path: RawPath): boolean {
  return path === NOTES || path.startsWith(`${NOTES}/`);
}
