import { join } from "node:path";
import { blockedPaths } from "./blocked.ts";
import { textOf } from "./contents.ts";
import type { Change } from "./contents.ts";
import { hasMarks, markClashes } from "./conflict-markers.ts";
import type { MarkedFile } from "./conflict-markers.ts";
import { mergeCommits } from "./merge.ts";
import type { RunPlace } from "./place.ts";
import { shownPath } from "./raw-path.ts";
import { writeCommit } from "./record.ts";
import type { Merge } from "./workspace.ts";

/** A merge that waits for its marks to go. */
export interface Merging {
  /** What is brought in. */
  commit: string;
  /** What lies in the tree: the agent's `.git` is at it, and what differs from it is the agent's. */
  scratch: string;
  files: readonly MarkedFile[];
}

/** Merges a commit into another one among objects: into a commit of its own, or into one with marks where both differ. */
export async function bringInto(
  { repository, folder }: Pick<RunPlace, "repository" | "folder">,
  head: string,
  commit: string,
  { rules, at, ...about }: Merge & { at: Date },
): Promise<{ kind: "merged"; head: string } | ({ kind: "conflict" } & Merging) | { kind: "apart"; files: string[] }> {
  const merge = await mergeCommits(repository, head, commit);
  const write = async (tree: string) =>
    await writeCommit(repository, { ...about, at, tree, parents: [head, commit] as const });
  if (merge.kind === "clean") return { kind: "merged", head: await write(merge.tree) };
  const index = join(folder, "marks.index");
  const marked = await markClashes(repository, merge, { isBlocked: blockedPaths(rules), index });
  if (marked.kind === "apart") return marked;
  return { kind: "conflict", commit, scratch: await write(marked.tree), files: marked.files };
}

/** Files that have marks of the merge still, after these changes to what lay in the tree. */
export function unresolvedAfter({ files }: Merging, changes: readonly Change[]): string[] {
  const after = new Map(changes.map((change) => [change.difference.path, change]));
  const isOpen = (file: MarkedFile) => {
    const change = after.get(file.path);
    return change === undefined || hasMarks(textOf(change.after), file);
  };
  return files.filter(isOpen).map(({ path }) => shownPath(path));
}
