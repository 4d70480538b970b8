import type { Dirent, Stats } from "node:fs";
import { lstatSync } from "node:fs";
import { chmod, lstat, readdir, readlink } from "node:fs/promises";
import { stripHiddenCharacters } from "../../domain/hidden-text.ts";
import { systemCode } from "../../lib/errors.ts";
import { IGNORE_FILE } from "./ignored.ts";
import type { Asked, Ignored } from "./ignored.ts";
import type { Tracked } from "./index-file.ts";
import { blobName, plainName } from "./plain-file.ts";
import type { Format } from "./plain-file.ts";
import { foldersAbove, pathIn, shownPath } from "./raw-path.ts";
import type { RawPath } from "./raw-path.ts";

/** The folder in the tree that is the agent's alone. */
export const NOTES = ".relay-task";

/** One path where the tree is not as the commit; `head` is what the commit has there. */
export type Difference = { path: RawPath; head: Tracked | null } & (
  | { kind: "deleted" }
  | { kind: "file"; mode: "100644" | "100755"; size: number }
  | { kind: "link"; target: Buffer }
  /** Nothing that git could keep: `what` tells people. */
  | { kind: "odd"; what: string }
  /** A new folder in which there is too much to be looked at. */
  | { kind: "heap" }
);

export interface Ground {
  tree: string;
  tracked: ReadonlyMap<RawPath, Tracked>;
  ignored: Ignored;
  format: Format;
}

/** New files beyond this many are not looked at one by one: no change of ours has as many. */
const MOST_NEW = 20_000;
/** Longer ones the system takes only in pieces. */
const LONGEST_PATH = 3_000;

/**
 * Compares the tree with the commit, as git would, but without git: nothing in the tree is read as a setting, and no
 * program of it runs. What git's ignore rules fit is passed over where it is new; what is in the commit never is.
 */
export async function survey(ground: Ground): Promise<Difference[]> {
  const { tree, tracked, ignored } = ground;
  const folders = new Set([...tracked.keys()].flatMap(foldersAbove));
  const present = new Set<RawPath>();
  const found: Difference[] = [];
  let news = 0;
  await ignored.begin();
  let level: RawPath[] = [""];
  while (level.length > 0) {
    const next: RawPath[] = [];
    const fresh: (Asked & { entry: Dirent<Buffer> })[] = [];
    for (const folder of level) {
      const isNew = folder !== "" && !folders.has(folder);
      if (isNew && (news > MOST_NEW || folder.length > LONGEST_PATH)) {
        found.push({ path: folder, head: null, kind: "heap" });
        continue;
      }
      const entries = await entriesOf(tree, folder);
      const inner = entries.filter(({ name }) => isGitName(name.toString("latin1")));
      if (isNew && inner.length > 0) {
        found.push({ path: folder, head: null, kind: "odd", what: "a git repository of its own" });
        continue;
      }
      if (entries.some(({ name }) => name.toString("latin1") === IGNORE_FILE)) await ignored.learn(folder);
      for (const entry of entries) {
        const name = entry.name.toString("latin1");
        if (folder === "" && (name === ".git" || name === NOTES)) continue;
        const path = folder === "" ? name : `${folder}/${name}`;
        const head = tracked.get(path);
        if (head !== undefined) {
          present.add(path);
          const difference = await compare(ground, path, head);
          if (difference !== null) found.push(difference);
          // The file is gone then, and what is in the folder is new.
          if (entry.isDirectory() && head.mode !== "160000") next.push(path);
        } else if (inner.includes(entry)) {
          found.push({ path, head: null, kind: "odd", what: "settings of git" });
        } else if (entry.isDirectory() && folders.has(path)) {
          next.push(path);
        } else {
          fresh.push({ path, isFolder: entry.isDirectory(), entry });
        }
      }
    }
    const passed = await ignored.among(fresh);
    for (const { path, isFolder } of fresh) {
      if (passed.has(path)) continue;
      if (isFolder) {
        next.push(path);
        continue;
      }
      news += 1;
      const difference = await look(tree, path, null);
      if (difference !== null) found.push(difference);
    }
    level = next;
  }
  for (const [path, head] of tracked) {
    // Of a submodule git keeps a commit's name alone, so that its folder may be there or not.
    if (!present.has(path) && head.mode !== "160000" && !isNote(path)) found.push({ path, head, kind: "deleted" });
  }
  return found;
}

/** A file of the commit beside what lies there; null where both are the same. */
async function compare(ground: Ground, path: RawPath, head: Tracked): Promise<Difference | null> {
  const { tree, format } = ground;
  const info = lstatSync(pathIn(tree, path), { bigint: true, throwIfNoEntry: false });
  if (info === undefined) return head.mode === "160000" ? null : { path, head, kind: "deleted" };
  if (head.mode === "160000" && info.isDirectory()) return null;
  const size = Number(info.size & 0xffffffffn);
  const mode = (info.mode & 0o100n) === 0n ? "100644" : "100755";
  const untouched =
    head.seen !== null && head.seen.ctimeNs === info.ctimeNs && head.seen.inode === Number(info.ino & 0xffffffffn);
  if (info.isFile() && mode === head.mode) {
    if (untouched && size === head.size) return null;
    const couldBe = head.size === 0 || head.size === size;
    if (couldBe && (await plainName(tree, path, format)) === head.objectName) return null;
  }
  const difference = await look(tree, path, head);
  if (difference?.kind !== "link" || head.mode !== "120000") return difference;
  return blobName(difference.target, format) === head.objectName ? null : difference;
}

async function look(tree: string, path: RawPath, head: Tracked | null): Promise<Difference | null> {
  const at = pathIn(tree, path);
  const info = await lstat(at).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return null;
    throw error;
  });
  if (info === null) return head === null ? null : { path, head, kind: "deleted" };
  if (head?.mode === "160000") return { path, head, kind: "odd", what: "something else than the submodule" };
  if (!Buffer.from(shownPath(path), "utf8").equals(Buffer.from(path, "latin1")) && head === null) {
    return { path, head, kind: "odd", what: "a file whose name is not UTF-8" };
  }
  if (info.isSymbolicLink()) return { path, head, kind: "link", target: await readlink(at, { encoding: "buffer" }) };
  if (info.isFile()) {
    return { path, head, kind: "file", mode: (info.mode & 0o100) === 0 ? "100644" : "100755", size: info.size };
  }
  if (info.isDirectory()) return head === null ? null : { path, head, kind: "deleted" };
  return { path, head, kind: "odd", what: oddity(info) };
}

function oddity(info: Stats): string {
  if (info.isFIFO()) return "a named pipe";
  if (info.isSocket()) return "a socket";
  return "a device";
}

async function entriesOf(tree: string, folder: RawPath): Promise<Dirent<Buffer>[]> {
  const path = pathIn(tree, folder);
  const read = () => readdir(path, { withFileTypes: true, encoding: "buffer" });
  try {
    return await read();
  } catch (error) {
    const code = systemCode(error);
    // Gone, or something else by now: what it held counts as deleted.
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    if (code !== "EACCES") throw error;
    await chmod(path, 0o700);
    return await read();
  }
}

/** Names that some file system takes for `.git`, so that a commit with them would be settings of git for somebody. */
function isGitName(name: string): boolean {
  const plain = stripHiddenCharacters(shownPath(name))
    .toLowerCase()
    .replace(/[. ]+$/, "")
    .replace(/:.*$/s, "");
  return plain === ".git" || /^git~[0-9]+$/.test(plain);
}

function isNote(path: RawPath): boolean {
  return path === NOTES || path.startsWith(`${NOTES}/`);
}
