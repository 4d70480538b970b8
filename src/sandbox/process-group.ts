import { systemCode } from "../lib/errors.ts";
import type { Processes } from "./process.ts";

/** The process group whose leader is `pid`. A process that made a group of its own has left it. */
export function processGroup(pid: number): Processes {
  return {
    ask: () => void signal(-pid, "SIGTERM"),
    kill: () => void signal(-pid, "SIGKILL"),
    gone: () => !signal(-pid, 0),
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
