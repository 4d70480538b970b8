import { distance } from "fastest-levenshtein";
import { baseName } from "../index/path-index.ts";

const MOST = 3;
const LONGEST_NAME = 80;

/** Up to three paths that somebody may have meant: the same name elsewhere, then names a few letters away. */
export function nearestPaths(written: string, paths: readonly string[]): string[] {
  const path = written.toLowerCase();
  const name = baseName(path);
  if (name.length > LONGEST_NAME) return [];
  const allowed = name.length < 5 ? 1 : Math.max(2, Math.floor(name.length / 4));
  return paths
    .flatMap((candidate) => {
      const other = baseName(candidate).toLowerCase();
      if (Math.abs(other.length - name.length) > allowed) return [];
      const apart = other === name ? 0 : distance(other, name);
      return apart > allowed ? [] : [{ candidate, apart }];
    })
    .map(({ candidate, apart }) => ({ candidate, apart, folders: sharedFolders(candidate.toLowerCase(), path) }))
    .toSorted((a, b) => a.apart - b.apart || b.folders - a.folders || a.candidate.length - b.candidate.length)
    .slice(0, MOST)
    .map(({ candidate }) => candidate);
}

function sharedFolders(left: string, right: string): number {
  const folders = new Set(left.split("/").slice(0, -1));
  return right.split("/").filter((folder) => folders.has(folder)).length;
}
