import type { RevertedChange } from "../../../domain/work.ts";
import { folderOf, foldersOf, newFolderOf, shownPath, type RawPath } from "./raw-path.ts";
import { NOTES } from "./scan-tree.ts";
import type { BlockTest } from "./protected-paths.ts";
import type { Difference } from "./compare.ts";

/** Bytes of one committed file. */
export const MOST_FILE_BYTES = 2 * 1024 * 1024;
/** Bytes and files of one commit. */
const MOST_BYTES = 20 * 1024 * 1024;
const MOST_FILES = 500;

export interface PathVerdict {
  allowed: Difference[];
  rejected: { difference: Difference; reverted: RevertedChange }[];
}

/**
 * Checks differences by kind, path and size, without reading the files (R-WORK-6). `tracked`: the files of the commit.
 */
export function checkPaths(
  found: readonly Difference[],
  { isBlocked, kindOf }: { isBlocked: BlockTest; kindOf: (path: string) => string },
  tracked: Iterable<RawPath>,
): PathVerdict {
  const verdict: PathVerdict = { allowed: [], rejected: [] };
  for (const difference of found) {
    const reverted = rejection(difference, isBlocked, kindOf);
    if (reverted === null) verdict.allowed.push(difference);
    else verdict.rejected.push({ difference, reverted });
  }
  return limitSize(verdict, tracked);
}

function rejection(
  difference: Difference,
  isBlocked: BlockTest,
  kindOf: (path: string) => string,
): RevertedChange | null {
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
  return isBlocked(path, difference.kind === "link")
    ? { path, why: "blocked path", detail: `files of ${kindOf(path)} are left to people` }
    : null;
}

/**
 * Whether a link points inside the tree, whatever other links exist: it may first go up, then only down. A `..` after a
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

/** Rejects the largest files until the rest is small enough for a person to review. */
function limitSize(verdict: PathVerdict, tracked: Iterable<RawPath>): PathVerdict {
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
  const crowd = `the change has more than ${MOST_FILES} files`;
  if (allowed.length > MOST_FILES) {
    const isIn = crowdsOf(allowed, allowed.length - MOST_FILES, tracked);
    drop((difference) => difference.head === null && isIn(difference.path), crowd);
  }
  const kept = new Set(allowed.slice(0, MOST_FILES));
  drop((difference) => !kept.has(difference), crowd);
  return { allowed, rejected };
}

function bytesOf(difference: Difference): number {
  return difference.kind === "file" ? difference.size : 0;
}

/**
 * Picks the folders full of new files, such as generated files that agents leave by mistake, that together have at
 * least `least` new files. If the fullest folder alone has them, only it; else outermost new folders with all that is
 * in them, so that no odd remainder stays.
 */
function crowdsOf(
  differences: readonly Difference[],
  least: number,
  tracked: Iterable<RawPath>,
): (path: RawPath) => boolean {
  const news = differences.filter(({ head }) => head === null).map(({ path }) => path);
  const [fullest] = byNumber(news, folderOf);
  if (fullest !== undefined && fullest.number >= least) return (path) => folderOf(path) === fullest.folder;
  const folders = foldersOf(tracked);
  const outermost = (path: RawPath): RawPath => newFolderOf(path, folders) ?? folderOf(path);
  const chosen = new Set<RawPath>();
  let number = 0;
  for (const group of byNumber(news, outermost)) {
    if (number >= least) break;
    chosen.add(group.folder);
    number += group.number;
  }
  return (path) => chosen.has(outermost(path));
}

function byNumber(paths: readonly RawPath[], folderFor: (path: RawPath) => RawPath) {
  const groups = [...Map.groupBy(paths, folderFor)].map(([folder, { length }]) => ({ folder, number: length }));
  return groups.toSorted((a, b) => b.number - a.number);
}
