import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { signal } from "../process-group.ts";
import { tooMany, tooMuch } from "./limits.ts";
import type { Bounds } from "./limits.ts";

/** What the kernel allows over the bound of processes, so that passing it is seen, and told of, before it is felt. */
export const SLACK = 64;

/** Groups of processes whose memory and number the kernel bounds, as far as this account may ask for that. */
export interface BoundGroup {
  holds: Readonly<Record<Controller, boolean>>;
  /** What the kernel refused or ended because of a bound so far, in a sentence; null for nothing. */
  excess(): string | null;
  /** Takes the groups away, once their processes are gone. */
  remove(): void;
}

type Controller = "memory" | "pids";
const CONTROLLERS = ["memory", "pids"] as const;
const PREFIX = "relay-";

/** Where the kernel shows its groups, and where it tells this process's own. */
export interface GroupFiles {
  root: string;
  own: string;
}

const FILES: GroupFiles = { root: "/sys/fs/cgroup", own: "/proc/self/cgroup" };

/** Has the kernel bound what comes of `pid`. */
export function boundByKernel(pid: number, bounds: Bounds, files: GroupFiles = FILES): BoundGroup {
  const memory = bounds.memoryMb === null ? null : makeGroup("memory", bounds.memoryMb * 1024 * 1024, pid, files);
  const pids = bounds.processes === null ? null : makeGroup("pids", bounds.processes + SLACK, pid, files);
  return {
    holds: { memory: memory !== null, pids: pids !== null },
    excess: () => {
      if (tells(pids, "pids.events", /^max [1-9]/m)) return tooMany(bounds.processes ?? 0);
      const ended = /^oom_kill [1-9]/m;
      const starved = tells(memory, "memory.events", ended) || tells(memory, "memory.oom_control", ended);
      return starved ? tooMuch(bounds.memoryMb ?? 0) : null;
    },
    remove: () => {
      for (const group of new Set([memory, pids])) if (group !== null) removeGroup(group);
    },
  };
}

/** What of it the kernel would hold. Takes away the groups of a Relay that was killed. */
export function heldByKernel(files: GroupFiles = FILES): Readonly<Record<Controller, boolean>> {
  const [memory, pids] = CONTROLLERS.map((controller) => {
    const parent = parentGroup(controller, files);
    if (parent === null || !isWritable(join(parent, "cgroup.procs"))) return false;
    for (const name of readdirSync(parent)) {
      const owner = /^relay-(\d+)-\d+$/.exec(name)?.[1];
      if (owner !== undefined && !signal(Number(owner), 0)) removeGroup(join(parent, name));
    }
    const group = makeGroup(controller, 1024 * 1024, null, files);
    if (group !== null) removeGroup(group);
    return group !== null;
  });
  return { memory: memory ?? false, pids: pids ?? false };
}

/** Null where this account may not. The two controllers share a group in the kernel's second form of groups. */
function makeGroup(controller: Controller, most: number, pid: number | null, files: GroupFiles): string | null {
  const parent = parentGroup(controller, files);
  if (parent === null) return null;
  const group = join(parent, `${PREFIX}${process.pid}-${pid ?? 0}`);
  try {
    mkdirSync(group, { recursive: true });
    if (controller === "pids") {
      writeFileSync(join(group, "pids.max"), String(most));
    } else {
      const isFirstForm = existsSync(join(group, "memory.limit_in_bytes"));
      writeFileSync(join(group, isFirstForm ? "memory.limit_in_bytes" : "memory.max"), String(most));
      // Not all kernels count what they have put out to disk, or end a group as a whole.
      if (isFirstForm) tryToWrite(join(group, "memory.memsw.limit_in_bytes"), String(most));
      else tryToWrite(join(group, "memory.swap.max"), "0");
      if (!isFirstForm) tryToWrite(join(group, "memory.oom.group"), "1");
    }
    if (pid !== null) writeFileSync(join(group, "cgroup.procs"), String(pid));
    return group;
  } catch {
    removeGroup(group);
    return null;
  }
}

/**
 * The group that this process's own is in: beside it, since a group with processes of its own has no groups with bounds
 * below it. So what a service or a container is allowed as a whole may not hold for the programs.
 */
function parentGroup(controller: Controller, { root, own }: GroupFiles): string | null {
  const first = join(root, controller);
  const isFirstForm = existsSync(join(first, "cgroup.procs"));
  const lines = readOr(own, "")
    .split("\n")
    .map((line) => line.split(":"));
  const line = lines.find(([id, names = ""]) => (isFirstForm ? names.split(",").includes(controller) : id === "0"));
  const path = line?.slice(2).join(":");
  if (path === undefined) return null;
  const parent = join(isFirstForm ? first : root, path === "/" ? path : dirname(path));
  if (isFirstForm) return parent;
  const shared = join(parent, "cgroup.subtree_control");
  const isShared = (): boolean => readOr(shared, "").trim().split(" ").includes(controller);
  if (!isShared()) tryToWrite(shared, `+${controller}`);
  return isShared() ? parent : null;
}

function tells(group: string | null, file: string, pattern: RegExp): boolean {
  return group !== null && pattern.test(readOr(join(group, file), ""));
}

function removeGroup(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // An empty group is in nobody's way.
  }
}

function tryToWrite(file: string, text: string): void {
  try {
    // Never made where the kernel has none.
    writeFileSync(file, text, { flag: "r+" });
  } catch {
    // What it is for is worth having, and not needed.
  }
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return otherwise;
  }
}
