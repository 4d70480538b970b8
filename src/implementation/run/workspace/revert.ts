import { chmod, lstat, mkdir, rmdir, symlink, writeFile } from "node:fs/promises";
import { RelayError, systemCode } from "../../../lib/errors.ts";
import { mustGit } from "./git.ts";
import type { Tracked } from "./index-file.ts";
import { foldersAbove, pathIn, shownPath } from "./raw-path.ts";
import type { RawPath } from "./raw-path.ts";
import { discard } from "./remove.ts";

const MOST_BLOB = 1024 * 1024 * 1024;

export interface Yard {
  tree: string;
  repository: string;
  trash: string;
}

/** Gives a path of the tree what the commit has there: the file as it was, or nothing. Follows no link. */
export async function putBack(yard: Yard, path: RawPath, head: Tracked | null): Promise<void> {
  const { tree, repository, trash } = yard;
  const place = pathIn(tree, path);
  if (!(await openWay(yard, path, head !== null))) return;
  await discard(place, trash);
  if (head === null) {
    await removeEmptyAbove(tree, path);
    return;
  }
  if (head.mode === "160000") {
    await mkdir(place);
    return;
  }
  const content = await mustGit(`read ${shownPath(path)}`, repository, ["cat-file", "blob", head.objectName], {
    maxBytes: MOST_BLOB,
  });
  if (head.mode === "120000") await symlink(content, place);
  else await writeFile(place, content, { flag: "wx", mode: head.mode === "100755" ? 0o777 : 0o666 });
}

/** Makes real, writable folders of all above a path; false where there are none and none are wanted. */
async function openWay(yard: Yard, path: RawPath, wanted: boolean): Promise<boolean> {
  for (const folder of ["", ...foldersAbove(path)]) {
    const place = pathIn(yard.tree, folder);
    const found = await lstat(place).catch((error: unknown) => {
      if (systemCode(error) === "ENOENT") return null;
      throw error;
    });
    if (found?.isDirectory()) {
      if ((found.mode & 0o700) !== 0o700) await chmod(place, 0o700);
      continue;
    }
    if (!wanted) return false;
    if (folder === "") throw new RelayError("io", `the working tree ${yard.tree} is gone; begin the run anew`);
    await discard(place, yard.trash);
    await mkdir(place);
  }
  return true;
}

async function removeEmptyAbove(tree: string, path: RawPath): Promise<void> {
  for (const folder of foldersAbove(path).toReversed()) {
    const gone = await rmdir(pathIn(tree, folder)).then(
      () => true,
      () => false,
    );
    if (!gone) return;
  }
}
