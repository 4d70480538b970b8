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
import type { ExceededLimit } from "../../../lib/launch.ts";
import { tooManyProcesses, tooMuchMemory } from "../limit-enforcement.ts";
import type { Limits } from "./limits.ts";

/** Processes that the kernel allows above the limit, so that Relay sees and reports an excess before programs fail. */
export const SLACK = 64;

/** Control groups in which the kernel limits memory and processes, as far as this account may create them. */
export interface LimitedGroup {
  enforces: Readonly<Record<Controller, boolean>>;
  /** The limit that the kernel has enforced so far; null for none. */
  exceeded(): ExceededLimit | null;
  /** Removes the groups, once their processes are gone. */
  remove(): void;
}

type Controller = "memory" | "pids";
const CONTROLLERS = ["memory", "pids"] as const;
const PREFIX = "relay-";

/** Where the kernel shows control groups, and the ones of this process. */
export interface GroupFiles {
  root: string;
  own: string;
}

const FILES: GroupFiles = { root: "/sys/fs/cgroup", own: "/proc/self/cgroup" };

/** Has the kernel limit `pid` and all that it starts. */
export function limitByKernel(pid: number, limits: Limits, files: GroupFiles = FILES): LimitedGroup {
  const memory = limits.memoryMb === null ? null : makeGroup("memory", limits.memoryMb * 1024 * 1024, pid, files);
  const pids = limits.processes === null ? null : makeGroup("pids", limits.processes + SLACK, pid, files);
  return {
    enforces: { memory: memory !== null, pids: pids !== null },
    exceeded: () => {
      if (tells(pids, "pids.events", /^max [1-9]/m)) return tooManyProcesses(limits.processes ?? 0);
      const ended = /^oom_kill [1-9]/m;
      const starved = tells(memory, "memory.events", ended) || tells(memory, "memory.oom_control", ended);
      return starved ? tooMuchMemory(limits.memoryMb ?? 0) : null;
    },
    remove: () => {
      for (const group of new Set([memory, pids])) if (group !== null) removeGroup(group);
    },
  };
}

/** Which limits the kernel would enforce. Removes the groups of a Relay that was killed. */
export function kernelLimits(files: GroupFiles = FILES): Readonly<Record<Controller, boolean>> {
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

/** Null without the permission. With version 2 of control groups both controllers share one group. */
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
      // Not every kernel counts swap, or kills a group as a whole.
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
 * The parent of this process's own group: a group that has processes cannot have limited groups below it. So the limits
 * of Relay's own service or container may not apply to the programs.
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
    // An empty group does no harm.
  }
}

function tryToWrite(file: string, text: string): void {
  try {
    // Never created where the kernel has no such file.
    writeFileSync(file, text, { flag: "r+" });
  } catch {
    // Useful, but not required.
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
