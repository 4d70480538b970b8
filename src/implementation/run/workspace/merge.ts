import { createHash } from "node:crypto";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RelayError } from "../../../lib/errors.ts";
import { firstLine } from "../../../code/git/tree.ts";
import { workGit } from "./git.ts";
import { shownPath } from "./raw-path.ts";
import type { RawPath } from "./raw-path.ts";
import { removeAll } from "./remove.ts";
import { describeSource } from "./source.ts";

/** What one side of a merge has at a path. */
export interface Side {
  mode: string;
  objectName: string;
}

/** A path where both sides of a merge changed something that does not go together; null: the side has nothing there. */
export interface Clash {
  path: RawPath;
  ours: Side | null;
  theirs: Side | null;
}

export type Merge =
  | { kind: "clean"; tree: string }
  /** `tree` has git's own marks in the files; `name` is the same as long as the clashing files are. */
  | { kind: "conflict"; tree: string; clashes: Clash[]; name: string };

const MERGE_MS = 120_000;
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Merges two commits that have a history in common, among objects alone. Throws `RelayError` `io` where git cannot:
 * objects that are missing, a full disk.
 */
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
  const clashes = new Map<RawPath, Clash>();
  for (const line of lines) {
    const [, mode, objectName, stage, path] = /^(\d+) ([0-9a-f]+) ([123])\t(.+)$/s.exec(line) ?? [];
    if (mode === undefined || objectName === undefined || path === undefined) continue;
    const clash = clashes.get(path) ?? { path, ours: null, theirs: null };
    if (stage === "2") clash.ours = { mode, objectName };
    if (stage === "3") clash.theirs = { mode, objectName };
    clashes.set(path, clash);
  }
  const name = createHash("sha256").update(lines.toSorted().join("\0"), "latin1").digest("hex").slice(0, 32);
  return { kind: "conflict", tree, clashes: [...clashes.values()], name };
}

/** The newest commit that both have in their histories; null where they have nothing in common. */
export async function forkOf(repository: string, one: string, other: string): Promise<string | null> {
  const { code, stdout } = await workGit(repository, ["merge-base", one, other]);
  return code === 0 ? stdout.toString("utf8").trim() : null;
}

/** A conflict by its files, and a name by which the same one is known again. */
export interface Conflict {
  name: string;
  files: string[];
}

/**
 * Whether a branch goes together with the one that it is to go into; null where it does, or where the two have nothing
 * in common. Nothing is left behind in the source.
 */
export async function conflictBetween(source: string, branch: string, base: string): Promise<Conflict | null> {
  const { directory } = await describeSource(source);
  const fork = await forkOf(directory, branch, base);
  if (fork === null || fork === base || fork === branch) return null;
  const folder = await mkdtemp(join(tmpdir(), "relay-merge-"));
  try {
    const objects = join(folder, "objects");
    await mkdir(objects);
    // A name with a quote or a colon would be read as something else.
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

function conflictOf({ name, clashes }: Extract<Merge, { kind: "conflict" }>): Conflict {
  return { name, files: clashes.map(({ path }) => shownPath(path)) };
}
