import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

export interface FolderSize {
  bytes: number;
  files: number;
  /** False where it is at least that: there was more to look at than fits, or something could not be read. */
  isWhole: boolean;
}

/** Bytes and files in a folder, without following links. Looks at `most` entries and until `deadline` at most. */
export async function folderSize(folder: string, bounds: { most: number; deadline: number }): Promise<FolderSize> {
  const size = { bytes: 0, files: 0, isWhole: true };
  const left = [folder];
  let looked = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const entries = await readdir(next, { withFileTypes: true }).catch(() => null);
    if (entries === null) size.isWhole = false;
    for (const entry of entries ?? []) {
      if (looked >= bounds.most || Date.now() > bounds.deadline) return { ...size, isWhole: false };
      looked += 1;
      const path = join(next, entry.name);
      if (entry.isDirectory()) left.push(path);
      else {
        size.bytes += (await lstat(path).catch(() => null))?.size ?? 0;
        size.files += 1;
      }
    }
  }
  return size;
}
