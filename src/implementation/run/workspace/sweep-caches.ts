import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../../lib/errors.ts";
import { locked } from "../../../lib/lock.ts";
import type { Log } from "../../../lib/log.ts";
import { removeAll } from "./remove.ts";

const LOCK_WAIT_MS = 1_000;

/**
 * Removes prepared trees and stored packages that no run has renewed for a while (R-SCALE-3); the next run creates them
 * again. Leaves what another process holds for the next time. Returns how many it removed.
 */
export async function sweepCaches(home: string, before: Date, log: Log): Promise<number> {
  let removed = 0;
  for (const kind of ["trees", "packages"]) {
    const folder = join(home, "cache", kind);
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      if (name.endsWith(".lock") || !(await isUnused(path, before))) continue;
      try {
        const remove = async () => {
          if (await isUnused(path, before)) await removeAll(path);
        };
        await locked(`${path}.lock`, remove, { patienceMs: LOCK_WAIT_MS });
        removed += 1;
      } catch (error) {
        log.debug({ path, error: messageOf(error) }, "an unused cache was not removed");
      }
    }
  }
  return removed;
}

async function isUnused(path: string, before: Date): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found !== null && found.isDirectory() && found.mtime < before;
}
