import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where groups of processes can be made whose number the kernel bounds: the first and the second form of it. */
const FIRST_FORM = "/sys/fs/cgroup/pids";
const SECOND_FORM = "/sys/fs/cgroup";

/** What the kernel allows over the bound, so that passing it is seen, and told of, before it is felt. */
const SLACK = 64;

/** A group of processes whose number the kernel bounds. */
export interface BoundGroup {
  /** Whether a process more was refused, so far. */
  refused: () => boolean;
  /** Takes the group away, once its processes are gone. */
  remove: () => void;
}

/**
 * Lets the kernel bound the number of processes that come of `pid`, where this account may ask for that, as root mostly
 * may; null where it may not.
 */
export function boundProcesses(pid: number, most: number): BoundGroup | null {
  const parent = parentGroup();
  if (parent === null) return null;
  const group = join(parent, `relay-${process.pid}-${pid}`);
  try {
    mkdirSync(group);
  } catch {
    return null;
  }
  const remove = (): void => {
    try {
      rmdirSync(group);
    } catch {
      // An empty group is in nobody's way.
    }
  };
  try {
    writeFileSync(join(group, "pids.max"), String(most + SLACK));
    writeFileSync(join(group, "cgroup.procs"), String(pid));
    return { remove, refused: () => wasRefused(group) };
  } catch {
    remove();
    return null;
  }
}

function wasRefused(group: string): boolean {
  try {
    return /^max [1-9]/m.test(readFileSync(join(group, "pids.events"), "utf8"));
  } catch {
    // The group is gone, or the kernel does not count.
    return false;
  }
}

function parentGroup(): string | null {
  if (existsSync(join(FIRST_FORM, "cgroup.procs"))) return FIRST_FORM;
  try {
    const controllers = readFileSync(join(SECOND_FORM, "cgroup.subtree_control"), "utf8").trim().split(" ");
    return controllers.includes("pids") ? SECOND_FORM : null;
  } catch {
    return null;
  }
}
