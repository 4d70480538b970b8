import type { ExceededLimit, RunningProgram } from "../../lib/launch.ts";
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
   * For one program, from now on: the limit that the sandbox exceeds; null for none. Each call starts the next check; a
   * check from before the program started does not count against it.
   */
  forProgram: () => () => ExceededLimit | null;
}

/** What files take: bytes and inodes (files and folders). */
interface Usage {
  bytes: number;
  files: number;
}

const MEBIBYTE = 1024 * 1024;
/** What stays free for Relay, its database and everything else: bytes, and inodes up to a share. */
const LEAST_FREE_MB = 256;
const LEAST_FREE_FILES = { number: 20_000, share: 0.02 };
const COUNT_MS = 10 * 60_000;
/** Milliseconds between two counts of all files, while the free space gives no reason for one. */
const COUNT_EVERY_MS = 10_000;
/** Pause after a count, as a multiple of its duration: with a reason to count again, and without. */
const PAUSE = { hurried: 3, calm: 30 };

/**
 * Watches the disk for a sandbox with a limit of bytes or files; null for one without. Reading the free space is cheap.
 * All files are counted now and then, and when so much space went since the last count that a limit may be exceeded.
 * The limits apply to what the files take beyond what they took when the sandbox was opened.
 */
function watchDisk({ diskMb, files, writable, folder }: SandboxSpec): DiskWatch | null {
  if (diskMb === null && files === null) return null;
  const most: Usage = { bytes: diskMb === null ? Infinity : diskMb * MEBIBYTE, files: files ?? Infinity };
  const folders = [...writable, folder];
  let exceeded: { limit: ExceededLimit; seenAt: number } | null = null;
  let checking = false;
  let first: Usage | null = null;
  const none: Usage = { bytes: 0, files: 0 };
  let last = { at: 0, grown: none, free: { bytes: Infinity, files: Infinity }, hurriedAfter: 0, calmAfter: 0 };

  const count = async (free: Usage): Promise<void> => {
    const at = performance.now();
    const usage = await usageOf(folders);
    if (usage === null) return;
    first ??= usage;
    const now = performance.now();
    const took = now - at;
    last = {
      at,
      grown: { bytes: usage.bytes - first.bytes, files: usage.files - first.files },
      free,
      hurriedAfter: now + PAUSE.hurried * took,
      calmAfter: now + Math.max(COUNT_EVERY_MS, PAUSE.calm * took),
    };
  };
  const check = async (): Promise<void> => {
    const disk = await statfs(folder);
    const free: Usage = { bytes: disk.bavail * disk.bsize, files: disk.ffree };
    const began = performance.now();
    const isHurried =
      last.free.bytes - free.bytes > most.bytes - last.grown.bytes ||
      last.free.files - free.files > most.files - last.grown.files;
    if (began >= (isHurried ? last.hurriedAfter : last.calmAfter)) await count(free);
    const full = fullness(free, disk.files);
    if (last.grown.bytes > most.bytes) {
      const text = `it wrote more than ${diskMb} MB to the disk`;
      exceeded = { limit: { of: "disk", most: diskMb, text }, seenAt: last.at };
    } else if (last.grown.files > most.files) {
      const text = `it created more than ${files} files and folders`;
      exceeded = { limit: { of: "files", most: files, text }, seenAt: last.at };
    } else exceeded = full === null ? null : { limit: { of: "room", most: null, text: full }, seenAt: began };
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
        return exceeded !== null && exceeded.seenAt >= since ? exceeded.limit : null;
      };
    },
  };
}

/** `most` is the number of files that the file system has room for; some report none, and make room as they need it. */
function fullness(free: Usage, most: number): string | null {
  if (free.bytes < LEAST_FREE_MB * MEBIBYTE) return `less than ${LEAST_FREE_MB} MB are left on the disk`;
  const least = Math.min(LEAST_FREE_FILES.number, most * LEAST_FREE_FILES.share);
  return free.files < least ? "the disk has hardly room for more files" : null;
}

/** Usage of the files in folders, each counted once however many names it has; null if the count failed. */
async function usageOf(folders: readonly string[]): Promise<Usage | null> {
  const total = async (...options: string[]): Promise<number | null> => {
    const { stdout } = await exec("du", [...options, "-sxc", "--", ...folders], {
      timeoutMs: COUNT_MS,
      env: environmentWith({ LC_ALL: "C" }),
    });
    const number = /(\d+)\s+total\s*$/.exec(stdout.toString("latin1"))?.[1];
    return number === undefined ? null : Number(number);
  };
  const [kibibytes, files] = await Promise.all([total("-k"), total("--inodes")]);
  if (kibibytes === null) return null;
  // `du` of other systems than Linux cannot count files.
  return { bytes: kibibytes * 1024, files: files ?? 0 };
}
