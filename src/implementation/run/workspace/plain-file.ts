import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { chmod, open, readlink, type FileHandle } from "node:fs/promises";
import { systemCode } from "../../../lib/errors.ts";
import { type RawPath, pathIn } from "./raw-path.ts";

export type Format = "sha1" | "sha256";

const CHUNK = 1024 * 1024;

/** Git's object name for the content of a file. */
export function blobName(content: Buffer, format: Format): string {
  return createHash(format).update(`blob ${content.length}\0`).update(content).digest("hex");
}

/**
 * The content of a regular file in the tree; null if it is not a regular file any more, or is larger than `most` bytes.
 * Follows no links and never blocks.
 */
export async function readPlain(tree: string, path: RawPath, most: number): Promise<Buffer | null> {
  return await withPlain(tree, path, async (file, size) => {
    if (size > most) return null;
    const content = Buffer.alloc(size);
    let filled = 0;
    while (filled < size) {
      const { bytesRead } = await file.read(content, filled, size - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return content.subarray(0, filled);
  });
}

/** The object name of a file of any size, read in chunks; null if it is not a regular file any more. */
export async function plainName(tree: string, path: RawPath, format: Format): Promise<string | null> {
  return await withPlain(tree, path, async (file, size) => {
    const hash = createHash(format).update(`blob ${size}\0`);
    const chunk = Buffer.allocUnsafe(Math.min(size, CHUNK));
    for (let at = 0; at < size;) {
      const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, size - at), at);
      if (bytesRead === 0) break;
      hash.update(chunk.subarray(0, bytesRead));
      at += bytesRead;
    }
    return hash.digest("hex");
  });
}

async function withPlain<T>(
  tree: string,
  path: RawPath,
  use: (file: FileHandle, size: number) => Promise<T>,
): Promise<T | null> {
  const file = await openPlain(pathIn(tree, path));
  if (file === null) return null;
  try {
    const info = await file.stat();
    if (!info.isFile() || !(await isStillAt(file, tree, path))) return null;
    return await use(file, info.size);
  } finally {
    await file.close();
  }
}

async function openPlain(path: Buffer): Promise<FileHandle | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    return await open(path, flags);
  } catch (error) {
    const code = systemCode(error);
    // A link, a socket, a device without a driver, or gone.
    if (code === "ELOOP" || code === "ENXIO" || code === "ENODEV" || code === "ENOENT" || code === "ENOTDIR")
      return null;
    if (code !== "EACCES") throw error;
    await chmod(path, 0o600);
    return await open(path, flags).catch(() => null);
  }
}

/** Whether no parent folder was replaced by a link in the meantime; only Linux can detect this. */
async function isStillAt(file: FileHandle, tree: string, path: RawPath): Promise<boolean> {
  if (process.platform !== "linux") return true;
  const real = await readlink(`/proc/self/fd/${file.fd}`, { encoding: "buffer" }).catch(() => null);
  return real === null || real.equals(pathIn(tree, path));
}
