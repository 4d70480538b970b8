import { folderSize } from "../../lib/folder-size.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import { lastUse, listMirrors, mirrorPath, removeMirror } from "./mirror-directory.ts";

export interface MirrorSweep {
  /** Removes mirrors that were not used since then; null removes none for their age. */
  before: Date | null;
  /** If all mirrors together have more bytes, the least recently used ones are removed too; null for no limit. */
  mostBytes: number | null;
  /** Addresses of mirrors that must stay. */
  inUse: readonly string[];
  log: Log;
}

/** Bounds the count of files: a mirror with more counts as smaller than it is. */
const MOST_FILES = 20_000;
const MOST_MS = 10_000;

/** Removes unused mirrors (R-SCALE-3); they are cloned again when needed. Returns how many. */
export async function sweepMirrors(home: string, { before, mostBytes, inUse, log }: MirrorSweep): Promise<number> {
  const kept = new Set(inUse.flatMap((url) => pathOf(home, url)));
  const mirrors = [];
  for (const directory of await listMirrors(home)) {
    const size = mostBytes === null ? 0 : (await folderSize(directory, bounds())).bytes;
    mirrors.push({ directory, size, used: await lastUse(directory) });
  }
  let bytes = mirrors.reduce((sum, { size }) => sum + size, 0);
  let removed = 0;
  for (const { directory, size, used } of mirrors.toSorted((a, b) => a.used.getTime() - b.used.getTime())) {
    const isOld = before !== null && used < before;
    const isTooMuch = mostBytes !== null && bytes > mostBytes;
    if (kept.has(directory) || (!isOld && !isTooMuch)) continue;
    try {
      // Not if it was used in the meantime.
      if (!(await removeMirror(directory, new Date(used.getTime() + 1)))) continue;
      removed += 1;
      bytes -= size;
      log.info({ mirror: directory, used: used.toISOString() }, "unused mirror removed");
    } catch (error) {
      log.warn({ mirror: directory, error: messageOf(error) }, "an unused mirror was not removed");
    }
  }
  return removed;
}

function bounds() {
  return { most: MOST_FILES, deadline: Date.now() + MOST_MS };
}

/** Repositories on this machine have no mirror. */
function pathOf(home: string, url: string): string[] {
  try {
    return [mirrorPath(home, url)];
  } catch (error) {
    if (error instanceof RelayError) return [];
    throw error;
  }
}
