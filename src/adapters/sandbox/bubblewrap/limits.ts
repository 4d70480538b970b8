import { readdirSync, readFileSync } from "node:fs";
import type { ExceededLimit } from "../../../lib/launch.ts";
import { tooManyProcesses, tooMuchMemory } from "../limit-enforcement.ts";

/** Limits for all processes of one program together. */
export interface Limits {
  memoryMb: number | null;
  processes: number | null;
}

/** Processes whose memory is read in one poll, which should take a few milliseconds. */
const MOST_READ = 2_000;

/**
 * The limit that the processes of a namespace exceed; null for none. `first` is the namespace's first
 * process. Counts anonymous and shared memory, not files that are open or mapped.
 */
export function limitExceeded(first: number, limits: Limits): ExceededLimit | null {
  // The namespace's own /proc, which lists nothing else.
  const list = `/proc/${first}/root/proc`;
  const processes = namesIn(list).filter((name) => /^\d+$/.test(name));
  // The first one is bubblewrap's.
  if (limits.processes !== null && processes.length - 1 > limits.processes) {
    return tooManyProcesses(limits.processes);
  }
  if (limits.memoryMb === null) return null;
  const kilobytes = processes.slice(0, MOST_READ).reduce((sum, name) => sum + memoryOf(`${list}/${name}`), 0);
  return kilobytes > limits.memoryMb * 1024 ? tooMuchMemory(limits.memoryMb) : null;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It has just exited.
    return [];
  }
}

/** Kilobytes. */
function memoryOf(folder: string): number {
  try {
    const status = readFileSync(`${folder}/status`, "latin1");
    return Number(/^RssAnon:\s*(\d+)/m.exec(status)?.[1] ?? 0) + Number(/^RssShmem:\s*(\d+)/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
