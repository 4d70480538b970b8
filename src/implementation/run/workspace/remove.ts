import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, rename, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { RelayError, systemCode } from "../../../lib/errors.ts";
import { exec } from "../../../lib/exec.ts";

const REMOVAL_MS = 10 * 60_000;

/**
 * Removes a folder with everything in it, without following links. Adds missing permissions, and copes with paths of
 * any length. Throws `RelayError` `io` if something remains.
 */
export async function removeAll(directory: string): Promise<void> {
  try {
    await rm(directory, { recursive: true, force: true });
    return;
  } catch {
    // The system's own programs walk folder by folder, so neither permissions nor long paths stop them.
  }
  await exec("chmod", ["-R", "u+rwx", "--", directory], { timeoutMs: REMOVAL_MS });
  const removed = await exec("rm", ["-rf", "--", directory], { timeoutMs: REMOVAL_MS });
  if ((await lstat(directory).catch(() => null)) === null) return;
  const complaint = removed.stderr.slice(0, 200).split("\n")[0] ?? "";
  throw new RelayError("io", `cannot remove ${directory} (${complaint}); remove it by hand, as its owner or as root`);
}

/** Removes whatever is at a path, via a trash folder on the same file system; false if nothing was there. */
export async function discard(path: Buffer | string, trash: string): Promise<boolean> {
  const found = await lstat(path).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return null;
    throw error;
  });
  if (found === null) return false;
  if (!found.isDirectory()) {
    await unlink(path);
    return true;
  }
  // A folder without write permission cannot be moved.
  if ((found.mode & 0o700) !== 0o700) await chmod(path, 0o700);
  await mkdir(trash, { recursive: true, mode: 0o700 });
  const moved = join(trash, randomUUID());
  await rename(path, moved);
  await removeAll(moved);
  return true;
}
