import { createHash } from "node:crypto";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RelayError } from "../../../lib/errors.ts";
import { firstLine } from "../../../code/git/tree.ts";
import { workGit } from "./git.ts";
import { shownPath, type RawPath } from "./raw-path.ts";
import { removeAll } from "./remove.ts";
import { describeSource } from "./source.ts";

/** A file on one side of a merge. */
export interface Side {
  mode: string;
  objectName: string;
}

/** A path with conflicting changes; null where a side has no such file. */
export interface FileConflict {
  path: RawPath;
  ours: Side | null;
  theirs: Side | null;
}

export type Merge =
  | { kind: "clean"; tree: string }
  /** `tree` has git's own markers in the files; `name` identifies the conflict: the same files get the same name. */
  | { kind: "conflict"; tree: string; conflicts: FileConflict[]; name: string };

const MERGE_MS = 120_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** Merges two related commits without a working tree. Throws `RelayError` `io`: missing objects, a full disk. */
export async function mergeCommits(
  repository: string,
  ours: string,
  theirs: string,
  variables: Record<string, string> = {},
): Promise<Merge> {
  const command = ["merge-tree", "--write-tree", "--no-messages", "-z", ours, theirs];
  const merged = await workGit(repository, command, { timeoutMs: MERGE_MS, maxBytes: MOST_BYTES, variables });
  const [tree = "", ...lines] = merged.stdout.toString("latin1").split("\0");
  if (merged.code === 0) return { kind: "clean", tree };
  if (merged.code !== 1 || merged.truncated) {
    throw new RelayError(
      "io",
      `cannot merge ${theirs} into ${ours} (${firstLine(merged.stderr)}); check the space and that ${repository} is whole`,
    );
  }
  const conflicts = new Map<RawPath, FileConflict>();
  for (const line of lines) {
    const [, mode, objectName, stage, path] = /^(\d+) ([0-9a-f]+) ([123])\t(.+)$/s.exec(line) ?? [];
    if (mode === undefined || objectName === undefined || path === undefined) continue;
    const conflict = conflicts.get(path) ?? { path, ours: null, theirs: null };
    if (stage === "2") conflict.ours = { mode, objectName };
    if (stage === "3") conflict.theirs = { mode, objectName };
    conflicts.set(path, conflict);
  }
  const name = createHash("sha256").update(lines.toSorted().join("\0"), "latin1").digest("hex").slice(0, 32);
  return { kind: "conflict", tree, conflicts: [...conflicts.values()], name };
}

/** The merge base of two commits; null for unrelated histories. */
export async function mergeBaseOf(repository: string, one: string, other: string): Promise<string | null> {
  const { code, stdout } = await workGit(repository, ["merge-base", one, other]);
  return code === 0 ? stdout.toString("utf8").trim() : null;
}

/** A conflict: its files, and a name that identifies the same conflict later. */
export interface Conflict {
  name: string;
  files: string[];
}

/** How a branch conflicts with its base; null if they merge cleanly or are unrelated. Writes nothing to the source. */
export async function conflictBetween(source: string, branch: string, base: string): Promise<Conflict | null> {
  const { directory } = await describeSource(source);
  const fork = await mergeBaseOf(directory, branch, base);
  if (fork === null || fork === base || fork === branch) return null;
  const folder = await mkdtemp(join(tmpdir(), "relay-merge-"));
  try {
    const objects = join(folder, "objects");
    await mkdir(objects);
    // Git would misread an unquoted name with a quote or a colon.
    const borrowed = JSON.stringify(join(directory, "objects"));
    const merge = await mergeCommits(directory, branch, base, {
      GIT_OBJECT_DIRECTORY: objects,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: borrowed,
    });
    return merge.kind === "clean" ? null : conflictOf(merge);
  } finally {
    await removeAll(folder);
  }
}

function conflictOf({ name, conflicts }: Extract<Merge, { kind: "conflict" }>): Conflict {
  return { name, files: conflicts.map(({ path }) => shownPath(path)) };
}
