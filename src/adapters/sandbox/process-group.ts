import { readdirSync, readFileSync } from "node:fs";
import { systemCode } from "../../lib/errors.ts";
import type { ExceededLimit } from "../../lib/launch.ts";

/** All processes that a program started, wherever they went. */
export interface ProcessTree {
  /** Asks them to end. */
  ask(): void;
  kill(): void;
  gone(): boolean;
  /** The limit that they exceeded; they are killed then. Polled several times a second. */
  exceeded?(): ExceededLimit | null;
  /** The same, by the exit code of a program that was killed inside. */
  exceededBy?(code: number | null): ExceededLimit | null;
}

/** The process group led by `pid`. A process that created its own group has left it. */
export function processGroup(pid: number): ProcessTree {
  return {
    ask: () => void signal(-pid, "SIGTERM"),
    kill: () => void signal(-pid, "SIGKILL"),
    gone: () => !signal(-pid, 0) || isGroupDead(pid),
  };
}

/** False where there is no such process, or group where `target` is negative. */
export function signal(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, name);
  } catch (error) {
    // It exists, but belongs to another account.
    return systemCode(error) === "EPERM";
  }
}

/** State and group of a process, from /proc. Null where the process is gone, or there is no /proc. */
export function processState(pid: number): { dead: boolean; group: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The program's name comes before it in parentheses, and may contain anything.
    const [state = "", , group = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { dead: state === "Z" || state === "X", group: Number(group) };
  } catch {
    return null;
  }
}

/** Zombies stay members of their group until they are reaped, which may take long for orphans. */
function isGroupDead(group: number): boolean {
  let seen = false;
  for (const name of processNames()) {
    const state = processState(Number(name));
    if (state?.group !== group) continue;
    if (!state.dead) return false;
    seen = true;
  }
  return seen;
}

function processNames(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
