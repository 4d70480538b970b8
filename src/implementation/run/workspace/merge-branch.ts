import { join } from "node:path";
import { blockedPaths } from "./protected-paths.ts";
import { textOf, type Change } from "./content-rules.ts";
import { hasMarkers, writeConflictMarkers, type FileWithMarkers } from "./conflict-markers.ts";
import { mergeCommits } from "./merge.ts";
import type { RunPaths } from "./run-paths.ts";
import { shownPath } from "./raw-path.ts";
import { writeCommit } from "./commit.ts";
import type { MergeOptions } from "./workspace.ts";

/** A merge that waits for its conflict markers to be removed. */
export interface PendingMerge {
  /** The commit that is merged in. */
  commit: string;
  /**
   * The commit with the markers. The tree and the agent's `.git` start there, so that every difference is the agent's.
   */
  markers: string;
  files: readonly FileWithMarkers[];
}

/** Merges two commits without a working tree, into a merge commit or a commit with conflict markers. */
export async function mergeCommit(
  { repository, folder }: Pick<RunPaths, "repository" | "folder">,
  head: string,
  commit: string,
  { rules, at, ...about }: MergeOptions & { at: Date },
): Promise<
  { kind: "merged"; head: string } | ({ kind: "conflict" } & PendingMerge) | { kind: "unmergeable"; files: string[] }
> {
  const merge = await mergeCommits(repository, head, commit);
  const write = async (tree: string) =>
    await writeCommit(repository, { ...about, at, tree, parents: [head, commit] as const });
  if (merge.kind === "clean") return { kind: "merged", head: await write(merge.tree) };
  const index = join(folder, "marks.index");
  const marked = await writeConflictMarkers(repository, merge, { isBlocked: blockedPaths(rules), index });
  if (marked.kind === "unmergeable") return marked;
  return { kind: "conflict", commit, markers: await write(marked.tree), files: marked.files };
}

/** Files that still have conflict markers after these changes. */
export function unresolvedAfter({ files }: PendingMerge, changes: readonly Change[]): string[] {
  const after = new Map(changes.map((change) => [change.difference.path, change]));
  const isOpen = (file: FileWithMarkers) => {
    const change = after.get(file.path);
    return change === undefined || hasMarkers(textOf(change.after), file);
  };
  return files.filter(isOpen).map(({ path }) => shownPath(path));
}
