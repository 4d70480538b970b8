import { chmod, lstat, mkdir, rmdir, symlink, writeFile } from "node:fs/promises";
import { RelayError, systemCode } from "../../../lib/errors.ts";
import { mustGit } from "./git.ts";
import type { TrackedFile } from "./index-file.ts";
import { foldersAbove, pathIn, shownPath, type RawPath } from "./raw-path.ts";
import { discard } from "./remove.ts";

const MOST_BLOB = 1024 * 1024 * 1024;

export interface TreePaths {
  tree: string;
  repository: string;
  trash: string;
}

/** Restores a path of the tree to its state in the commit: the file, or nothing. Follows no links. */
export async function revertPath(paths: TreePaths, path: RawPath, head: TrackedFile | null): Promise<void> {
  const { tree, repository, trash } = paths;
  const target = pathIn(tree, path);
  if (!(await openParents(paths, path, head !== null))) return;
  await discard(target, trash);
  if (head === null) {
    await removeEmptyAbove(tree, path);
    return;
  }
  if (head.mode === "160000") {
    await mkdir(target);
    return;
  }
  const content = await mustGit(`read ${shownPath(path)}`, repository, ["cat-file", "blob", head.objectName], {
    maxBytes: MOST_BLOB,
  });
  if (head.mode === "120000") await symlink(content, target);
  else await writeFile(target, content, { flag: "wx", mode: head.mode === "100755" ? 0o777 : 0o666 });
}

/** Makes every parent folder real and writable; false if one is missing and must not be created. */
async function openParents(paths: TreePaths, path: RawPath, create: boolean): Promise<boolean> {
  for (const folder of ["", ...foldersAbove(path)]) {
    const target = pathIn(paths.tree, folder);
    const found = await lstat(target).catch((error: unknown) => {
      if (systemCode(error) === "ENOENT") return null;
      throw error;
    });
    if (found?.isDirectory()) {
      if ((found.mode & 0o700) !== 0o700) await chmod(target, 0o700);
      continue;
    }
    if (!create) return false;
    if (folder === "") throw new RelayError("io", `the working tree ${paths.tree} is gone; start the run again`);
    await discard(target, paths.trash);
    await mkdir(target);
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
