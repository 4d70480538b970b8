import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { firstLine } from "../../../code/git/tree.ts";
import { RelayError } from "../../../lib/errors.ts";
import { mustGit, workGit } from "./git.ts";
import type { RunPaths } from "./run-paths.ts";
import type { Source } from "./source.ts";
import { ATTRIBUTES } from "./agent-git.ts";

const CHECKOUT_MS = 10 * 60_000;

/** Creates Relay's own git directory of a run; its objects come from the source, as alternates. */
export async function makeRepository(paths: RunPaths, source: Source): Promise<void> {
  const { repository } = paths;
  await mkdir(repository, { recursive: true, mode: 0o700 });
  const init = ["init", "--quiet", "--bare", "--template=", `--object-format=${source.format}`, repository];
  await mustGit("make a repository", repository, init);
  await linkToSource(paths, source);
}

/** Sets the source's objects as alternates, and turns every conversion of files off. */
export async function linkToSource(paths: RunPaths, source: Source): Promise<void> {
  const { repository } = paths;
  await mkdir(join(repository, "info"), { recursive: true });
  await mkdir(join(repository, "objects", "info"), { recursive: true });
  // A path with a line break cannot be written here; git then reports missing objects.
  await writeFile(join(repository, "objects", "info", "alternates"), `${source.objects[0] ?? ""}\n`);
  await writeFile(join(repository, "info", "attributes"), ATTRIBUTES);
  if (source.shallow !== null) await writeFile(join(repository, "shallow"), source.shallow);
}

/**
 * Writes the files of a commit into the tree and the index. Given `from`, the commit the tree is at, only differing
 * files are touched; otherwise the tree must be empty. Throws `RelayError` `not_found` if the source lacks objects.
 */
export async function checkOut(paths: RunPaths, commit: string, from?: string): Promise<void> {
  const { repository, tree } = paths;
  const trees = from === undefined ? ["--reset", "-u"] : ["-m", "-u", `${from}^{commit}`];
  const result = await workGit(repository, ["read-tree", ...trees, `${commit}^{commit}`], {
    workTree: tree,
    timeoutMs: CHECKOUT_MS,
  });
  if (result.code === 0) return;
  const held = await workGit(repository, ["rev-parse", "--verify", "--quiet", `${commit}^{tree}`]);
  const code = held.code === 0 ? "io" : "not_found";
  throw new RelayError(code, `cannot check out ${commit} (${firstLine(result.stderr)}); fetch the repository whole`);
}
