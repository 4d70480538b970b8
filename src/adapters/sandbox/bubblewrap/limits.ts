import { readdirSync, readFileSync } from "node:fs";

/** What all processes of one program may take together. */
export interface Bounds {
  memoryMb: number | null;
  processes: number | null;
}

/** Processes whose memory is looked at in one go: more of them are too many for a look of a few milliseconds. */
const MOST_LOOKED_AT = 2_000;

/**
 * Tells what the processes of a namespace take over their bounds, in a sentence; null while they keep to them. `first` is
 * the namespace's first process. Counted is memory of their own, not of files that they have open or mapped.
 */
export function excessOf(first: number, bounds: Bounds): string | null {
  // The namespace's own list, which holds nothing else; it stands in its tree of files.
  const list = `/proc/${first}/root/proc`;
  const processes = namesIn(list).filter((name) => /^\d+$/.test(name));
  // The first one is bubblewrap's.
  if (bounds.processes !== null && processes.length - 1 > bounds.processes) {
    return tooMany(bounds.processes);
  }
  if (bounds.memoryMb === null) return null;
  const kilobytes = processes.slice(0, MOST_LOOKED_AT).reduce((sum, name) => sum + memoryOf(`${list}/${name}`), 0);
  return kilobytes > bounds.memoryMb * 1024 ? tooMuch(bounds.memoryMb) : null;
}

export function tooMuch(memoryMb: number): string {
  return `it took more than ${memoryMb} MB of memory`;
}

export function tooMany(most: number): string {
  return `it ran more than ${most} processes at a time`;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It has just ended.
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
