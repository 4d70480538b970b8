import { resolve, sep } from "node:path";
import type { Freedom } from "../preset.ts";

/** What an agent asks leave for, as far as it tells. */
export interface Wanted {
  kind: string | null;
  paths: readonly string[];
}

/** Changes of files, and what changes nothing. */
const EDITS = new Set(["read", "edit", "delete", "move", "search", "think"]);

/**
 * Whether an agent may do what it asks leave for: inside the tree, and only what its freedom holds (R-WORK-5). An agent
 * asks what it likes to ask; what holds it is the sandbox.
 */
export function mayDo({ kind, paths }: Wanted, directories: readonly string[], freedom: Freedom): boolean {
  if (freedom === "edits" && (kind === null || !EDITS.has(kind))) return false;
  return paths.every((path) => directories.some((directory) => isInside(path, directory)));
}

function isInside(path: string, directory: string): boolean {
  const absolute = resolve(directory, path);
  return absolute === directory || absolute.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
