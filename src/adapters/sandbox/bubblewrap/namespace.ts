import type { ChildProcess } from "node:child_process";
import { setPriority } from "node:os";
import { Readable, Writable } from "node:stream";
import { z } from "zod";
import { type ProcessTree, processGroup, processState, signal } from "../process-group.ts";

import { limitByKernel, type LimitedGroup } from "./control-group.ts";
import { limitExceeded, type Limits } from "./limits.ts";

const Info = z.object({ "child-pid": z.int().positive() });
const MOST_INFO = 4_096;
const NICENESS = 10;

/** The descriptor at which bubblewrap reports the namespace that it created. */
export const INFO_FD = 3;
/** The one that it reads its options from: every account of the machine can read arguments. */
export const OPTIONS_FD = 4;
/** The one that it reads the filter of the kernel's calls from. */
export const FILTER_FD = 5;

/**
 * Passes bubblewrap its options, and controls the processes of the sandbox: bubblewrap itself, and the namespace, which
 * ends with its first process.
 */
export function namespaceOf(
  child: ChildProcess,
  { options, filter, limits }: { options: readonly string[]; filter: Buffer | null; limits: Limits },
): ProcessTree {
  // bubblewrap waits for its options: limits set before apply to everything that it starts.
  const group = child.pid === undefined ? null : limit(child.pid, limits);
  give(child, OPTIONS_FD, Buffer.from(options.map((option) => `${option}\0`).join("")));
  if (filter !== null) give(child, FILTER_FD, filter);
  const outer = child.pid === undefined ? null : processGroup(child.pid);
  let info = "";
  let first: number | undefined;
  const infoPipe = child.stdio[INFO_FD];
  if (infoPipe instanceof Readable) {
    infoPipe.on("error", () => {});
    infoPipe.on("data", (chunk: Buffer) => {
      if (info.length > MOST_INFO) return;
      info += chunk.toString("utf8");
      first ??= childPidIn(info);
    });
  }
  return {
    // The first process shares its session with the program, and ignores this signal itself.
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
    exceeded: () => {
      // A program that hit a kernel limit may exit before the next poll.
      const refused = group?.exceeded() ?? null;
      if (refused !== null || first === undefined) return refused;
      return limitExceeded(first, group?.enforces.memory === true ? { ...limits, memoryMb: null } : limits);
    },
  };
}

function give(child: ChildProcess, descriptor: number, bytes: Buffer): void {
  // The types know of five descriptors only.
  const pipe: unknown = Reflect.get(child.stdio, descriptor);
  if (!(pipe instanceof Writable)) return;
  pipe.on("error", () => {});
  pipe.end(bytes);
}

/** Lowers the priority, so that Relay still runs among thousands of processes, and sets the kernel's limits. */
function limit(pid: number, limits: Limits): LimitedGroup {
  try {
    setPriority(pid, NICENESS);
  } catch {
    // It has just exited.
  }
  return limitByKernel(pid, limits);
}

function childPidIn(text: string): number | undefined {
  try {
    return Info.parse(JSON.parse(text))["child-pid"];
  } catch {
    // Incomplete so far.
    return undefined;
  }
}

/** A namespace's first process dies, and is reaped, only after all others are gone. */
function isOver(pid: number): boolean {
  return processState(pid)?.dead ?? true;
}
