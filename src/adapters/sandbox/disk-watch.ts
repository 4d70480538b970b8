import { statfs } from "node:fs/promises";
import { environmentWith, exec } from "../../lib/exec.ts";
import type { Place } from "./sandbox.ts";

/** Looks at what the programs of a place write to the disk. */
export interface DiskWatch {
  /**
   * For one program, from now on: what the place took over the bound, in a sentence; null while it keeps to it. Asking
   * starts the next look; what was seen before the program is no reason to end it.
   */
  forProgram: () => () => string | null;
}

const MEBIBYTE = 1024 * 1024;
/** What the disk keeps for Relay, its database and everybody else, whoever filled it. */
const LEAST_FREE_MB = 256;
const LEAST_FREE_FILES = 1_000;
const COUNT_MS = 10 * 60_000;
/** Milliseconds between two countings of all files, where the disk's free space gives no reason for one. */
const COUNT_EVERY_MS = 10_000;
/** So many times longer than a counting took nothing is counted: with a reason for it, and without. */
const REST = { hurried: 3, calm: 30 };

/**
 * Watches the disk for a place with a bound; null for one without. Asking the disk for its free space costs nothing;
 * all files of the place are counted where so much of it went since the last count that the bound may be passed, and
 * now and then. What counts is what the files take beyond what they took when the place was opened.
 */
export function watchDisk({ diskMb, writable, folder }: Place): DiskWatch | null {
  if (diskMb === null) return null;
  const most = diskMb * MEBIBYTE;
  const folders = [...writable, folder];
  let verdict: { text: string; seenAt: number } | null = null;
  let looking = false;
  let first: number | null = null;
  let last = { at: 0, grown: 0, free: Infinity, hurriedAfter: 0, calmAfter: 0 };

  const count = async (free: number): Promise<void> => {
    const at = performance.now();
    const taken = await bytesIn(folders);
    if (taken === null) return;
    first ??= taken;
    const now = performance.now();
    const took = now - at;
    last = {
      at,
      grown: taken - first,
      free,
      hurriedAfter: now + REST.hurried * took,
      calmAfter: now + Math.max(COUNT_EVERY_MS, REST.calm * took),
    };
  };
  const look = async (): Promise<void> => {
    const disk = await statfs(folder);
    const free = disk.bavail * disk.bsize;
    const began = performance.now();
    const isHurried = last.free - free > most - last.grown;
    if (began >= (isHurried ? last.hurriedAfter : last.calmAfter)) await count(free);
    const full = fullness(free, disk);
    if (last.grown > most) verdict = { text: `it wrote more than ${diskMb} MB to the disk`, seenAt: last.at };
    else verdict = full === null ? null : { text: full, seenAt: began };
  };
  const start = (): void => {
    if (looking) return;
    looking = true;
    // A disk that cannot be asked now is asked again.
    void look()
      .catch(() => {})
      .finally(() => {
        looking = false;
      });
  };
  start();
  return {
    forProgram: () => {
      const since = performance.now();
      return () => {
        start();
        return verdict !== null && verdict.seenAt >= since ? verdict.text : null;
      };
    },
  };
}

function fullness(free: number, { files, ffree }: { files: number; ffree: number }): string | null {
  if (free < LEAST_FREE_MB * MEBIBYTE) return `less than ${LEAST_FREE_MB} MB are left on the disk`;
  // File systems without a bound of files tell of none.
  return files > 0 && ffree < LEAST_FREE_FILES ? "the disk has no room for more files" : null;
}

/** What the files in folders take, each file once however many names it has; null where it could not be counted. */
async function bytesIn(folders: readonly string[]): Promise<number | null> {
  const { stdout } = await exec("du", ["-skxc", "--", ...folders], {
    timeoutMs: COUNT_MS,
    env: environmentWith({ LC_ALL: "C" }),
  });
  const total = /(\d+)\s+total\s*$/.exec(stdout.toString("latin1"))?.[1];
  return total === undefined ? null : Number(total) * 1024;
}
