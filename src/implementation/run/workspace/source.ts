import type { Stats } from "node:fs";
import { chown, copyFile, link, mkdir, readdir, readFile, rename, stat } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { isAbsolute, join, resolve } from "node:path";
import { gitIn } from "../../../code/git/git.ts";
import { firstLine } from "../../../code/git/tree.ts";
import { RelayError, systemCode } from "../../../lib/errors.ts";
import { mustGit, workGit } from "./git.ts";

/** The repository that a run starts from: a mirror, or a user's own. Relay only adds objects and `refs/relay/`. */
export interface Source {
  /** The git directory of the repository itself, never of a linked working tree. */
  directory: string;
  /** Object folders: its own first, then its alternates. */
  objects: readonly string[];
  format: "sha1" | "sha256";
  /** The `shallow` file of a shallow clone; null for a full history. */
  shallow: string | null;
}

const MOST_BORROWED = 20;

/** Throws `RelayError` `usage` if the directory is not a git repository. */
export async function describeSource(directory: string): Promise<Source> {
  const asked = ["rev-parse", "--show-object-format", "--path-format=absolute", "--git-common-dir"];
  const result = await gitIn(directory, asked);
  const [, format, common] = /^(sha1|sha256)\n(.+)\n$/s.exec(result.stdout.toString("utf8")) ?? [];
  if (result.code !== 0 || common === undefined) {
    const complaint = firstLine(result.stderr);
    throw new RelayError("usage", `${directory} is not a git repository (${complaint}); give a clone or a mirror`);
  }
  return {
    directory: common,
    objects: await objectFolders(join(common, "objects")),
    format: format === "sha256" ? "sha256" : "sha1",
    shallow: await readFile(join(common, "shallow"), "utf8").catch(() => null),
  };
}

/** An object folder and all its alternates, in the order in which git follows them. */
async function objectFolders(first: string): Promise<string[]> {
  const found = [first];
  for (const folder of found) {
    const text = await readFile(join(folder, "info", "alternates"), "utf8").catch(() => "");
    for (const line of text.split("\n")) {
      if (line === "" || line.startsWith("#") || line.startsWith('"')) continue;
      const borrowed = isAbsolute(line) ? line : resolve(folder, line);
      if (!found.includes(borrowed) && found.length < MOST_BORROWED) found.push(borrowed);
    }
  }
  return found;
}

/** Validates that a run's id is safe in a path and a ref. Throws `RelayError` `internal`. */
export function checkRun(run: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(run)) return run;
  throw new RelayError("internal", `${JSON.stringify(run.slice(0, 100))} cannot be the id of a run`);
}

const RUNS = "refs/relay/runs/";

function refOf(run: string): string {
  return `${RUNS}${checkRun(run)}`;
}

/** The newest commit of an interrupted run on this machine; null if it has none, or was closed (R-WORK-8). */
export async function findRunHead(source: string, run: string): Promise<string | null> {
  const { directory } = await describeSource(source);
  const found = await workGit(directory, ["rev-parse", "--verify", "--quiet", `${refOf(run)}^{commit}`]);
  return found.code === 0 ? found.stdout.toString("utf8").trim() : null;
}

/** Protects a run's commit that the source already has from being pruned. */
export async function keepRunHead(source: Source, run: string, commit: string): Promise<void> {
  await mustGit("keep the run's commit", source.directory, ["update-ref", refOf(run), commit]);
}

/** Lets git prune the commits of a run. */
export async function dropRunHead(source: string, run: string): Promise<void> {
  const { directory } = await describeSource(source);
  await mustGit("release the run's commits", directory, ["update-ref", "-d", refOf(run)]);
}

/**
 * Lets git prune the commits of finished runs. `pickFinished` selects them from the runs with commits in this
 * repository. Returns their number; 0 if the repository is not on this machine.
 */
export async function pruneRunHeads(
  source: string,
  pickFinished: (runs: readonly string[]) => Promise<readonly string[]>,
): Promise<number> {
  if (!(await stat(source).then(isDirectory, () => false))) return 0;
  const { directory } = await describeSource(source);
  const listed = await mustGit("list the commits of runs", directory, ["for-each-ref", "--format=%(refname)", RUNS]);
  const names = listed
    .toString("utf8")
    .split("\n")
    .filter((name) => name !== "");
  const over = names.length === 0 ? [] : await pickFinished(names.map((name) => name.slice(RUNS.length)));
  for (const run of over) await dropRunHead(directory, run);
  return over.length;
}

function isDirectory(found: Stats): boolean {
  return found.isDirectory();
}

/**
 * Copies the objects that a run created into the source. `git fetch` could do this too, but it first looks at every ref
 * of the source, and a mirror may have a hundred thousand.
 */
export async function copyObjects(from: string, source: Source): Promise<void> {
  const target = join(source.directory, "objects");
  const owner = await stat(target);
  // The repository's owner could not write to a folder that root created.
  const chownToOwner = async (path: string): Promise<void> => {
    if (process.geteuid?.() === 0 && owner.uid !== 0) await chown(path, owner.uid, owner.gid);
  };
  for (const folder of await readdir(from)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    const made = await mkdir(join(target, folder)).then(
      () => true,
      (error: unknown) => {
        if (systemCode(error) === "EEXIST") return false;
        throw error;
      },
    );
    if (made) await chownToOwner(join(target, folder));
    for (const name of await readdir(join(from, folder))) {
      if (!/^[0-9a-f]{38,62}$/.test(name)) continue;
      await copyObject(join(from, folder, name), join(target, folder, name), chownToOwner);
    }
  }
}

async function copyObject(from: string, to: string, chownToOwner: (path: string) => Promise<void>): Promise<void> {
  const failed = await link(from, to).then(
    () => null,
    (error: unknown) => systemCode(error) ?? "",
  );
  if (failed === "EEXIST") return;
  if (failed !== null) {
    // It is on another file system.
    const half = `${to}-${randomUUID()}`;
    await copyFile(from, half);
    await rename(half, to);
  }
  await chownToOwner(to);
}
