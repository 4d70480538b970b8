import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { removeIndex } from "./store.ts";

/** Removes indexes that were not opened since (R-SCALE-3); they are built again when they are needed. Returns how many. */
export async function sweepIndexes(home: string, before: Date): Promise<number> {
  const folder = join(home, "index");
  let removed = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.endsWith(".sqlite")) continue;
    const file = join(folder, name);
    const found = await stat(file).catch(() => null);
    if (found === null || found.mtime >= before) continue;
    removeIndex(file);
    removed += 1;
  }
  return removed;
}
