import type { Stats } from "node:fs";
import { chown, copyFile, link, mkdir, readdir, readFile, rename, stat } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { isAbsolute, join, resolve } from "node:path";
import { gitIn } from "../../../code/git/git.ts";
import { firstLine } from "../../../code/git/tree.ts";
import { RelayError, systemCode } from "../../../lib/errors.ts";
import { mustGit, workGit } from "./git.ts";

/** A repository that runs begin from: a mirror, or somebody's own. Relay adds objects and refs below `refs/relay/` only. */
export interface Source {
  /** Its git directory; that of the repository, also where the way there led through one of its working trees. */
  directory: string;
  /** Folders of objects: its own first, then those that it borrows. */
  objects: readonly string[];
  format: "sha1" | "sha256";
  /** Where its history is cut, as git notes it; null where it is whole. */
  shallow: string | null;
}

const MOST_BORROWED = 20;

/** Throws `RelayError` `usage` where there is no git repository. */
export async function describeSource(directory: string): Promise<Source> {
  const asked = ["rev-parse", "--show-object-format", "--path-format=absolute", "--git-common-dir"];
  const result = await gitIn(directory, asked);
  const [, format, common] = /^(sha1|sha256)\n(.+)\n$/s.exec(result.stdout.toString("utf8")) ?? [];
  if (result.code !== 0 || common === undefined) {
    const said = firstLine(result.stderr);
    throw new RelayError("usage", `${directory} is not a git repository (${said}); give a clone or a mirror`);
  }
  return {
    directory: common,
    objects: await objectFolders(join(common, "objects")),
    format: format === "sha256" ? "sha256" : "sha1",
    shallow: await readFile(join(common, "shallow"), "utf8").catch(() => null),
  };
}

/** A folder of objects with all that it borrows from, as git follows them. */
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

/** A run's id as part of a path and of a ref. Throws `RelayError` `internal` for one that could not be. */
export function checkRun(run: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(run)) return run;
  throw new RelayError("internal", `${JSON.stringify(run.slice(0, 100))} cannot be the id of a run`);
}

const RUNS = "refs/relay/runs/";

function refOf(run: string): string {
  return `${RUNS}${checkRun(run)}`;
}

/** The newest commit of a run that a crash cut off, on this machine; null where it made none, or was closed (R-WORK-8). */
export async function findRunHead(source: string, run: string): Promise<string | null> {
  const { directory } = await describeSource(source);
  const found = await workGit(directory, ["rev-parse", "--verify", "--quiet", `${refOf(run)}^{commit}`]);
  return found.code === 0 ? found.stdout.toString("utf8").trim() : null;
}

/** Keeps a commit of a run, which the source already has, from being pruned. */
export async function keepRunHead(source: Source, run: string, commit: string): Promise<void> {
  await mustGit("keep the run's commit", source.directory, ["update-ref", refOf(run), commit]);
}

/** Gives the commits of a run free. */
export async function dropRunHead(source: string, run: string): Promise<void> {
  const { directory } = await describeSource(source);
  await mustGit("let go of the run's commits", directory, ["update-ref", "-d", refOf(run)]);
}

/**
 * Gives the commits of those runs free that `pickOver` names among all whose commits are kept here: nobody goes on from
 * them any more. Tells how many there were; a repository that is not on this machine has none.
 */
export async function sweepRunHeads(
  source: string,
  pickOver: (runs: readonly string[]) => Promise<readonly string[]>,
): Promise<number> {
  if (!(await stat(source).then(isDirectory, () => false))) return 0;
  const { directory } = await describeSource(source);
  const listed = await mustGit("list the commits of runs", directory, ["for-each-ref", "--format=%(refname)", RUNS]);
  const names = listed
    .toString("utf8")
    .split("\n")
    .filter((name) => name !== "");
  const over = names.length === 0 ? [] : await pickOver(names.map((name) => name.slice(RUNS.length)));
  for (const run of over) await dropRunHead(directory, run);
  return over.length;
}

function isDirectory(found: Stats): boolean {
  return found.isDirectory();
}

/**
 * Gives the source the objects that a run made. Git's own fetch does the same, and asks after every ref of the source
 * first, of which a mirror may have a hundred thousand.
 */
export async function carryObjects(from: string, source: Source): Promise<void> {
  const target = join(source.directory, "objects");
  const owner = await stat(target);
  // Made by root, it could not be written to by whose repository it is.
  const hand = async (path: string): Promise<void> => {
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
    if (made) await hand(join(target, folder));
    for (const name of await readdir(join(from, folder))) {
      if (!/^[0-9a-f]{38,62}$/.test(name)) continue;
      await carryOne(join(from, folder, name), join(target, folder, name), hand);
    }
  }
}

async function carryOne(from: string, to: string, hand: (path: string) => Promise<void>): Promise<void> {
  const failed = await link(from, to).then(
    () => null,
    (error: unknown) => systemCode(error) ?? "",
  );
  if (failed === "EEXIST") return;
  if (failed !== null) {
    // Another file system.
    const half = `${to}-${randomUUID()}`;
    await copyFile(from, half);
    await rename(half, to);
  }
  await hand(to);
}
