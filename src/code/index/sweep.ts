import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { removeIndex } from "./store.ts";

/**
 * Removes indexes that have not been opened since `before` (R-SCALE-3); they are rebuilt when needed. Returns how many.
 */
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
