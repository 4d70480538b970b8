import type { ChildProcess } from "node:child_process";
import { setPriority } from "node:os";
import { Readable, Writable } from "node:stream";
import { z } from "zod";
import { processGroup, processState, signal } from "../process-group.ts";
import type { Processes } from "../process.ts";
import { boundByKernel } from "./control-group.ts";
import type { BoundGroup } from "./control-group.ts";
import { excessOf } from "./limits.ts";
import type { Bounds } from "./limits.ts";

const Told = z.object({ "child-pid": z.int().positive() });
const MOST_TOLD = 4_096;
const NICENESS = 10;

/** The descriptor at which bubblewrap tells which namespace it has made. */
export const TOLD = 3;
/** The one at which it is given its options: in its arguments all accounts of the machine could read them. */
export const GIVEN = 4;

/**
 * Gives bubblewrap its options, and tells the processes of the sandbox: bubblewrap itself, and the namespace whose first
 * process ends all others with itself.
 */
export function namespaceOf(
  child: ChildProcess,
  { options, bounds }: { options: readonly string[]; bounds: Bounds },
): Processes {
  // It waits for its options: what is set until then holds for all that comes of it.
  const group = child.pid === undefined ? null : restrain(child.pid, bounds);
  const giver = child.stdio[GIVEN];
  if (giver instanceof Writable) {
    giver.on("error", () => {});
    giver.end(options.map((option) => `${option}\0`).join(""));
  }
  const outer = child.pid === undefined ? null : processGroup(child.pid);
  let told = "";
  let first: number | undefined;
  const teller = child.stdio[TOLD];
  if (teller instanceof Readable) {
    teller.on("error", () => {});
    teller.on("data", (chunk: Buffer) => {
      if (told.length > MOST_TOLD) return;
      told += chunk.toString("utf8");
      first ??= readTold(told);
    });
  }
  return {
    // The first process has a session of its own with the program in it, and is itself deaf to this signal.
    ask: () => void (first === undefined ? outer?.ask() : signal(-first, "SIGTERM")),
    kill: () => {
      if (first !== undefined) signal(first, "SIGKILL");
      outer?.kill();
    },
    gone: () => {
      const gone = (outer?.gone() ?? true) && (first === undefined || isOver(first));
      if (gone) group?.remove();
      return gone;
    },
    excess: () => {
      // Refused by the kernel, a program may end by itself before anybody has looked.
      const refused = group?.excess() ?? null;
      if (refused !== null || first === undefined) return refused;
      return excessOf(first, group?.holds.memory === true ? { ...bounds, memoryMb: null } : bounds);
    },
  };
}

/** Behind Relay itself, so that it is still heard among thousands of processes; bounded as far as the kernel does it. */
function restrain(pid: number, bounds: Bounds): BoundGroup {
  try {
    setPriority(pid, NICENESS);
  } catch {
    // It has just ended.
  }
  return boundByKernel(pid, bounds);
}

function readTold(text: string): number | undefined {
  try {
    return Told.parse(JSON.parse(text))["child-pid"];
  } catch {
    // Not all of it is there yet.
    return undefined;
  }
}

/** A namespace's first process is a dead one, or collected, only after all others are gone. */
function isOver(pid: number): boolean {
  return processState(pid)?.dead ?? true;
}
