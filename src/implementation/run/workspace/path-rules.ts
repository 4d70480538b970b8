import type { RevertedChange } from "../../../domain/work.ts";
import type { PathTest } from "../../../code/tools/glob.ts";
import { folderOf, shownPath, type RawPath } from "./raw-path.ts";
import { NOTES } from "./scan-tree.ts";
import type { Difference } from "./compare.ts";

/** Bytes of one committed file. */
export const MOST_FILE_BYTES = 2 * 1024 * 1024;
/** Bytes and files of one commit. */
export const MOST_BYTES = 20 * 1024 * 1024;
export const MOST_FILES = 500;

export interface PathVerdict {
  allowed: Difference[];
  rejected: { difference: Difference; reverted: RevertedChange }[];
}

/** Checks differences without reading the files, by kind, path and size (R-WORK-6). */
export function checkPaths(found: readonly Difference[], isBlocked: PathTest): PathVerdict {
  const verdict: PathVerdict = { allowed: [], rejected: [] };
  for (const difference of found) {
    const reverted = rejection(difference, isBlocked);
    if (reverted === null) verdict.allowed.push(difference);
    else verdict.rejected.push({ difference, reverted });
  }
  return limitSize(verdict);
}

function rejection(difference: Difference, isBlocked: PathTest): RevertedChange | null {
  const path = shownPath(difference.path);
  switch (difference.kind) {
    case "unsupported":
      return { path, why: "not a plain file", detail: `it is ${difference.what}` };
    case "overflow":
      return { path, why: "too large", detail: "there are more new files than can be checked" };
    case "link":
      if (!staysInside(difference.path, difference.target)) {
        return {
          path,
          why: "not a plain file",
          detail: "it is a link that does not plainly lead to a file of the tree",
        };
      }
      break;
    case "file":
      if (difference.size > MOST_FILE_BYTES) {
        return { path, why: "too large", detail: `it has ${difference.size} bytes; ${MOST_FILE_BYTES} are allowed` };
      }
      break;
    case "deleted":
      break;
    default:
      return difference satisfies never;
  }
  return isBlocked(path) ? { path, why: "blocked path", detail: "files of this kind are left to people" } : null;
}

/**
 * Whether a link points inside the tree, whatever other links exist: it may go up first, then only down. A `..` after a
 * name would go up from wherever that name points.
 */
function staysInside(path: RawPath, target: Buffer): boolean {
  const names = target.toString("latin1").split("/");
  const down = names.findIndex((name) => name !== ".." && name !== ".");
  const ups = names.slice(0, down === -1 ? names.length : down).filter((name) => name === "..").length;
  const rest = down === -1 ? [] : names.slice(down);
  if (target.length === 0 || ups > path.split("/").length - 1) return false;
  return !rest.some(
    (name, at) => name === ".." || (name === "" && at === 0) || /^\.git$/i.test(name) || name === NOTES,
  );
}

/** Rejects the largest files until a person can review the rest. */
function limitSize(verdict: PathVerdict): PathVerdict {
  const rejected = [...verdict.rejected];
  let allowed = verdict.allowed;
  const drop = (which: (difference: Difference) => boolean, detail: string): void => {
    for (const difference of allowed.filter(which)) {
      rejected.push({ difference, reverted: { path: shownPath(difference.path), why: "too large", detail } });
    }
    allowed = allowed.filter((difference) => !which(difference));
  };
  let bytes = allowed.reduce((sum, difference) => sum + bytesOf(difference), 0);
  for (const largest of allowed.toSorted((a, b) => bytesOf(b) - bytesOf(a))) {
    if (bytes <= MOST_BYTES) break;
    bytes -= bytesOf(largest);
    drop((difference) => difference === largest, `all changes together have more than ${MOST_BYTES} bytes`);
  }
  // Agents leave folders full of generated files by mistake: reject whole folders, the fullest first.
  const crowd = `the change has more than ${MOST_FILES} files`;
  for (const folder of fullest(allowed)) {
    if (allowed.length <= MOST_FILES) break;
    drop((difference) => difference.head === null && folderOf(difference.path) === folder, crowd);
  }
  const kept = new Set(allowed.slice(0, MOST_FILES));
  drop((difference) => !kept.has(difference), crowd);
  return { allowed, rejected };
}

function bytesOf(difference: Difference): number {
  return difference.kind === "file" ? difference.size : 0;
}

function fullest(differences: readonly Difference[]): RawPath[] {
  const news = new Map<RawPath, number>();
  for (const { head, path } of differences) {
    if (head === null) news.set(folderOf(path), (news.get(folderOf(path)) ?? 0) + 1);
  }
  return [...news].toSorted(([, a], [, b]) => b - a).map(([folder]) => folder);
}
