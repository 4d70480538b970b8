import { type Stats, lstatSync } from "node:fs";
import { lstat, readlink } from "node:fs/promises";
import { systemCode } from "../../../lib/errors.ts";
import type { TrackedFile } from "./index-file.ts";
import { blobName, plainName, type Format } from "./plain-file.ts";
import { pathIn, shownPath, type RawPath } from "./raw-path.ts";

/** One path where the tree differs from the commit; `head` is the file in the commit. */
export type Difference = { path: RawPath; head: TrackedFile | null } & (
  | { kind: "deleted" }
  | { kind: "file"; mode: "100644" | "100755"; size: number }
  | { kind: "link"; target: Buffer }
  /** Something that git cannot store; `what` describes it to people. */
  | { kind: "unsupported"; what: string }
  /** A new path beyond the limit on new files. */
  | { kind: "overflow" }
);

/**
 * Whether a file is certainly unchanged since the checkout. Synchronous, since it is called for every file of the
 * commit.
 */
export function isUnchanged(tree: string, path: RawPath, head: TrackedFile): boolean {
  if (head.stamp === null) return false;
  try {
    const info = lstatSync(pathIn(tree, path), { bigint: true });
    const { ctimeNs, inode } = head.stamp;
    const isSame = ctimeNs === info.ctimeNs && inode === Number(info.ino & 0xffffffffn);
    return isSame && head.size === Number(info.size & 0xffffffffn);
  } catch {
    return false;
  }
}

/** Compares a file of the commit with the tree; null if they are the same. */
export async function compare(
  tree: string,
  path: RawPath,
  head: TrackedFile,
  format: Format,
): Promise<Difference | null> {
  const info = await lstat(pathIn(tree, path), { bigint: true }).catch(gone);
  if (info === null) return head.mode === "160000" ? null : { path, head, kind: "deleted" };
  if (head.mode === "160000" && info.isDirectory()) return null;
  const mode = (info.mode & 0o100n) === 0n ? "100644" : "100755";
  if (info.isFile() && mode === head.mode) {
    const couldBe = head.size === 0 || head.size === Number(info.size & 0xffffffffn);
    if (couldBe && (await plainName(tree, path, format)) === head.objectName) return null;
  }
  const difference = await look(tree, path, head);
  if (difference?.kind !== "link" || head.mode !== "120000") return difference;
  return blobName(difference.target, format) === head.objectName ? null : difference;
}

/** What exists in the tree at a path; null for nothing, or a folder. */
export async function look(tree: string, path: RawPath, head: TrackedFile | null): Promise<Difference | null> {
  const at = pathIn(tree, path);
  const info = await lstat(at).catch(gone);
  if (info === null) return head === null ? null : { path, head, kind: "deleted" };
  if (head?.mode === "160000") return { path, head, kind: "unsupported", what: "something other than the submodule" };
  if (!Buffer.from(shownPath(path), "utf8").equals(Buffer.from(path, "latin1")) && head === null) {
    return { path, head, kind: "unsupported", what: "a file whose name is not UTF-8" };
  }
  if (info.isSymbolicLink()) return { path, head, kind: "link", target: await readlink(at, { encoding: "buffer" }) };
  if (info.isFile()) {
    return { path, head, kind: "file", mode: (info.mode & 0o100) === 0 ? "100644" : "100755", size: info.size };
  }
  if (info.isDirectory()) return head === null ? null : { path, head, kind: "deleted" };
  return { path, head, kind: "unsupported", what: oddity(info) };
}

function oddity(info: Stats): string {
  if (info.isFIFO()) return "a named pipe";
  if (info.isSocket()) return "a socket";
  return "a device";
}

function gone(error: unknown): null {
  if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return null;
  throw error;
}
