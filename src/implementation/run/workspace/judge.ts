import type { Undone } from "../../../domain/work.ts";
import type { PathTest } from "../../../code/tools/glob.ts";
import { folderOf, shownPath } from "./raw-path.ts";
import type { RawPath } from "./raw-path.ts";
import { NOTES } from "./survey.ts";
import type { Difference } from "./compare.ts";

/** Bytes of one file that a commit may bring in. */
export const MOST_FILE_BYTES = 2 * 1024 * 1024;
/** Bytes and files of one commit. */
export const MOST_BYTES = 20 * 1024 * 1024;
export const MOST_FILES = 500;

export interface Verdict {
  stands: Difference[];
  falls: { difference: Difference; undone: Undone }[];
}

/** Judges differences by what is known without reading them: kind, path and size (R-WORK-6). */
export function judgeByPath(found: readonly Difference[], isBlocked: PathTest): Verdict {
  const verdict: Verdict = { stands: [], falls: [] };
  for (const difference of found) {
    const undone = objection(difference, isBlocked);
    if (undone === null) verdict.stands.push(difference);
    else verdict.falls.push({ difference, undone });
  }
  return inBulk(verdict);
}

function objection(difference: Difference, isBlocked: PathTest): Undone | null {
  const path = shownPath(difference.path);
  switch (difference.kind) {
    case "odd":
      return { path, why: "not a plain file", detail: `it is ${difference.what}` };
    case "heap":
      return { path, why: "too large", detail: "there is more that is new than can be looked at" };
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
 * Whether a link leads to a place in the tree whatever other links there are: it may go up first, and then only down.
 * After a name, `..` would go up from wherever that name leads to.
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

/** Takes the largest out until the rest is of a size that somebody can review. */
function inBulk(verdict: Verdict): Verdict {
  const falls = [...verdict.falls];
  let stands = verdict.stands;
  const drop = (which: (difference: Difference) => boolean, detail: string): void => {
    for (const difference of stands.filter(which)) {
      falls.push({ difference, undone: { path: shownPath(difference.path), why: "too large", detail } });
    }
    stands = stands.filter((difference) => !which(difference));
  };
  let bytes = stands.reduce((sum, difference) => sum + bytesOf(difference), 0);
  for (const largest of stands.toSorted((a, b) => bytesOf(b) - bytesOf(a))) {
    if (bytes <= MOST_BYTES) break;
    bytes -= bytesOf(largest);
    drop((difference) => difference === largest, `all changes together have more than ${MOST_BYTES} bytes`);
  }
  // Folders full of new files are what an agent leaves by mistake: the fullest go first, each as a whole.
  const crowd = `the change has more than ${MOST_FILES} files`;
  for (const folder of fullest(stands)) {
    if (stands.length <= MOST_FILES) break;
    drop((difference) => difference.head === null && folderOf(difference.path) === folder, crowd);
  }
  const kept = new Set(stands.slice(0, MOST_FILES));
  drop((difference) => !kept.has(difference), crowd);
  return { stands, falls };
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
