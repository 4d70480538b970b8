import { readdirSync, readFileSync } from "node:fs";
import { systemCode } from "../../lib/errors.ts";
import type { Processes } from "./process.ts";

/** The process group whose leader is `pid`. A process that made a group of its own has left it. */
export function processGroup(pid: number): Processes {
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
    // There, but of another account.
    return systemCode(error) === "EPERM";
  }
}

/** What /proc tells of a process: its state, and its group. Null where it is gone, or where there is no /proc. */
export function processState(pid: number): { dead: boolean; group: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program stands before it in brackets, and may hold anything.
    const [state = "", , group = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { dead: state === "Z" || state === "X", group: Number(group) };
  } catch {
    return null;
  }
}

/** The dead stay members of their group until somebody collects them, which for orphans may take long. */
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
