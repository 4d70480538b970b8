import type { ChildProcess } from "node:child_process";
import { Readable } from "node:stream";
import { z } from "zod";
import { processGroup, processState, signal } from "../process-group.ts";
import type { Processes } from "../process.ts";
import { excessOf } from "./excess.ts";
import type { Bounds } from "./excess.ts";

const Told = z.object({ "child-pid": z.int().positive() });
const MOST_TOLD = 4_096;

/**
 * The processes of a sandbox: bubblewrap, and the namespace whose first process ends all others with itself. Which one
 * that is, bubblewrap tells at descriptor 3.
 */
export function namespaceOf(child: ChildProcess, bounds: Bounds): Processes {
  const outer = child.pid === undefined ? null : processGroup(child.pid);
  let told = "";
  let first: number | undefined;
  const teller = child.stdio[3];
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
    gone: () => (outer?.gone() ?? true) && (first === undefined || isOver(first)),
    excess: () => (first === undefined ? null : excessOf(first, bounds)),
  };
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
