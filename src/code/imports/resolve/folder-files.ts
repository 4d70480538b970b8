import { folderOf, nearest } from "../known-paths.ts";
import type { Tree } from "../tree.ts";

/** Files that one import of a whole folder stands for, at most. */
export const MOST_FILES = 40;

/** Code right in the nearest folder whose path ends so. */
export function filesOfFolder(tree: Tree, suffix: string, from: string, ending: RegExp): string[] {
  const folders = tree.foldersEndingIn(suffix);
  if (folders.length === 0) return [];
  for (const folder of nearest(
    folders.map((name) => `${name}/`),
    from,
  )) {
    const files = tree.paths.inFolder(folderOf(folder)).filter((path) => ending.test(path));
    if (files.length > 0) return files.slice(0, MOST_FILES);
  }
  return [];
}
