import type { RunningProgram } from "../../lib/launch.ts";
import { type StartRequest, start } from "./process.ts";
import type { SandboxSpec } from "./sandbox.ts";
import { statfs } from "node:fs/promises";
import { environmentWith, exec } from "../../lib/exec.ts";

/** The running programs of one sandbox: they share its disk limit, and end together. */
export function programsOf(spec: SandboxSpec) {
  const disk = watchDisk(spec);
  const running = new Set<RunningProgram>();
  return {
    start: async (request: StartRequest): Promise<RunningProgram> => {
      const program = await start({ ...request, ...(disk === null ? {} : { exceeded: disk.forProgram() }) });
      running.add(program);
      void program.exit.then(() => running.delete(program));
      return program;
    },
    endAll: async (): Promise<void> => {
      for (const each of running) each.end();
      await Promise.all([...running].map((each) => each.exit));
    },
  };
}

/** Watches how much the programs of a sandbox write to the disk. */
interface DiskWatch {
  /**
   * For one program, from now on: the limit that the sandbox exceeds, in a sentence; null for none. Each call starts
   * the next check; a check from before the program started does not count against it.
   */
  forProgram: () => () => string | null;
}

const MEBIBYTE = 1024 * 1024;
/** Free space that is kept for Relay, its database and everything else. */
const LEAST_FREE_MB = 256;
const LEAST_FREE_FILES = 1_000;
const COUNT_MS = 10 * 60_000;
/** Milliseconds between two counts of all files, while the free space gives no reason for one. */
const COUNT_EVERY_MS = 10_000;
/** Pause after a count, as a multiple of its duration: with a reason to count again, and without. */
const PAUSE = { hurried: 3, calm: 30 };

/**
 * Watches the disk for a sandbox with a limit; null for one without. Reading the free space is cheap. All files are
 * counted when so much of it went since the last count that the limit may be exceeded, and now and then. The limit
 * applies to what the files take beyond their size when the sandbox was opened.
 */
function watchDisk({ diskMb, writable, folder }: SandboxSpec): DiskWatch | null {
  if (diskMb === null) return null;
  const most = diskMb * MEBIBYTE;
  const folders = [...writable, folder];
  let exceeded: { text: string; seenAt: number } | null = null;
  let checking = false;
  let first: number | null = null;
  let last = { at: 0, grown: 0, free: Infinity, hurriedAfter: 0, calmAfter: 0 };

  const count = async (free: number): Promise<void> => {
    const at = performance.now();
    const size = await bytesIn(folders);
    if (size === null) return;
    first ??= size;
    const now = performance.now();
    const took = now - at;
    last = {
      at,
      grown: size - first,
      free,
      hurriedAfter: now + PAUSE.hurried * took,
      calmAfter: now + Math.max(COUNT_EVERY_MS, PAUSE.calm * took),
    };
  };
  const check = async (): Promise<void> => {
    const disk = await statfs(folder);
    const free = disk.bavail * disk.bsize;
    const began = performance.now();
    const isHurried = last.free - free > most - last.grown;
    if (began >= (isHurried ? last.hurriedAfter : last.calmAfter)) await count(free);
    const full = fullness(free, disk);
    if (last.grown > most) exceeded = { text: `it wrote more than ${diskMb} MB to the disk`, seenAt: last.at };
    else exceeded = full === null ? null : { text: full, seenAt: began };
  };
  const poll = (): void => {
    if (checking) return;
    checking = true;
    // Checked again if the disk cannot be read now.
    void check()
      .catch(() => {})
      .finally(() => {
        checking = false;
      });
  };
  poll();
  return {
    forProgram: () => {
      const since = performance.now();
      return () => {
        poll();
        return exceeded !== null && exceeded.seenAt >= since ? exceeded.text : null;
      };
    },
  };
}

function fullness(free: number, { files, ffree }: { files: number; ffree: number }): string | null {
  if (free < LEAST_FREE_MB * MEBIBYTE) return `less than ${LEAST_FREE_MB} MB are left on the disk`;
  // File systems without a limit of files report none.
  return files > 0 && ffree < LEAST_FREE_FILES ? "the disk has no room for more files" : null;
}

/** Bytes of the files in folders, each file once however many names it has; null where the count failed. */
async function bytesIn(folders: readonly string[]): Promise<number | null> {
  const { stdout } = await exec("du", ["-skxc", "--", ...folders], {
    timeoutMs: COUNT_MS,
    env: environmentWith({ LC_ALL: "C" }),
  });
  const total = /(\d+)\s+total\s*$/.exec(stdout.toString("latin1"))?.[1];
  return total === undefined ? null : Number(total) * 1024;
}
