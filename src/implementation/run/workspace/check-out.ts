import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { firstLine } from "../../../code/git/tree.ts";
import { RelayError } from "../../../lib/errors.ts";
import { mustGit, workGit } from "./git.ts";
import type { RunPlace } from "./place.ts";
import type { Source } from "./source.ts";
import { ATTRIBUTES } from "./discard.ts";

const CHECKOUT_MS = 10 * 60_000;

/** Makes Relay's own git directory of a run: no objects but those that it borrows from the source. */
export async function makeRepository(place: RunPlace, source: Source): Promise<void> {
  const { repository } = place;
  await mkdir(repository, { recursive: true, mode: 0o700 });
  const init = ["init", "--quiet", "--bare", "--template=", `--object-format=${source.format}`, repository];
  await mustGit("make a repository", repository, init);
  await furnish(place, source);
}

/** What the repository borrows, and what it makes of files. */
export async function furnish(place: RunPlace, source: Source): Promise<void> {
  const { repository } = place;
  await mkdir(join(repository, "info"), { recursive: true });
  await mkdir(join(repository, "objects", "info"), { recursive: true });
  // An address with a line break cannot be written down; git says that the objects are missing.
  await writeFile(join(repository, "objects", "info", "alternates"), `${source.objects[0] ?? ""}\n`);
  await writeFile(join(repository, "info", "attributes"), ATTRIBUTES);
  if (source.shallow !== null) await writeFile(join(repository, "shallow"), source.shallow);
}

/**
 * Writes the files of a commit into the tree and notes them in the index. The tree is empty, or as the checkout of
 * another commit left it: then only what differs is looked at. Throws `RelayError` `not_found` where the source does not hold the commit whole.
 */
export async function checkOut(place: RunPlace, commit: string, from?: string): Promise<void> {
  const { repository, tree } = place;
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
