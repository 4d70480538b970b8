import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { RelayError, systemCode } from "../../../lib/errors.ts";
import { locked } from "../../../lib/lock.ts";
import { fillCache } from "./package-caches.ts";
import { type RunPaths, pathsIn } from "./run-paths.ts";
import { removeAll } from "./remove.ts";
import { type Source, describeSource } from "./source.ts";
import { sha256Of } from "../../../lib/sha256.ts";
import { firstLine } from "../../../code/git/tree.ts";
import { mustGit, workGit } from "./git.ts";
import { ATTRIBUTES } from "./agent-git.ts";

const readySchema = z.object({ source: z.string(), commit: z.string() });
const READY = "ready.json";
const HALF = ".half-";
const LOCK_WAIT_MS = 1_000;

/**
 * Checks a commit out before a run needs it, for example while a plan waits for approval: writing files is the slowest
 * part of opening a workspace. Keeps one tree per repository, at the newest commit that was asked for. Does nothing
 * while another process prepares. Throws what `openWorkspace` throws.
 */
export async function prepareTree(home: string, from: string, commit: string): Promise<void> {
  const source = await describeSource(from);
  const pool = poolOf(home, source);
  await mkdir(pool, { recursive: true, mode: 0o700 });
  try {
    await locked(`${pool}.lock`, async () => await prepareLocked(pool, source, commit), { patienceMs: LOCK_WAIT_MS });
  } catch (error) {
    if (!(error instanceof RelayError) || error.code !== "conflict") throw error;
  }
}

async function prepareLocked(pool: string, source: Source, commit: string): Promise<void> {
  for (const name of await readdir(pool)) if (name.startsWith(HALF)) await removeAll(join(pool, name));
  const [ready, ...more] = await readdir(pool);
  for (const name of more) await removeAll(join(pool, name));
  if (ready !== undefined && (await readReady(join(pool, ready)))?.commit === commit) return;
  const folder = join(pool, `${HALF}${randomUUID()}`);
  const paths = pathsIn(folder);
  const moved = ready !== undefined && (await claimed(join(pool, ready), folder));
  if (!moved || !(await checkOutIn(paths, source, commit))) {
    await removeAll(folder);
    await mkdir(paths.tree, { recursive: true, mode: 0o700 });
    await makeRepository(paths, source);
    await checkOut(paths, commit);
  }
  await writeFile(join(folder, READY), JSON.stringify({ source: source.directory, commit }));
  await rename(folder, join(pool, randomUUID()));
}

/** Recreates the folders of a run at a commit, from a prepared tree if there is one. */
export async function makeFolders(
  paths: RunPaths,
  source: Source,
  { home, stored, head }: { home: string; stored: string; head: string },
): Promise<void> {
  await removeAll(paths.folder);
  await mkdir(dirname(paths.folder), { recursive: true, mode: 0o700 });
  const isPrepared = await takePrepared(home, paths, source, head);
  for (const folder of [paths.tree, paths.home, paths.cache, paths.outside, paths.trash]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
  if (!isPrepared) {
    await makeRepository(paths, source);
    await checkOut(paths, head);
  }
  await fillCache(stored, paths.cache);
}

/** Moves a prepared tree to the run and checks the commit out there; false if there is no usable one. */
async function takePrepared(home: string, paths: RunPaths, source: Source, commit: string): Promise<boolean> {
  const pool = poolOf(home, source);
  const names = await readdir(pool).catch(() => []);
  for (const name of names.filter((one) => !one.startsWith("."))) {
    if (!(await claimed(join(pool, name), paths.folder))) continue;
    if (await checkOutIn(paths, source, commit)) return true;
    await removeAll(paths.folder);
  }
  return false;
}

async function checkOutIn(paths: RunPaths, source: Source, commit: string): Promise<boolean> {
  try {
    const ready = await readReady(paths.folder);
    if (ready?.source !== source.directory) return false;
    await removeAll(join(paths.folder, READY));
    await linkToSource(paths, source);
    if (ready.commit !== commit) await checkOut(paths, commit, ready.commit);
    return true;
  } catch (error) {
    // If the commit itself is the problem, the full checkout reports it.
    if (error instanceof RelayError) return false;
    throw error;
  }
}

async function readReady(folder: string): Promise<z.infer<typeof readySchema> | null> {
  const text = await readFile(join(folder, READY), "utf8").catch(() => "null");
  try {
    return readySchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Renaming is atomic: exactly one of several processes gets the tree. */
async function claimed(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** Out of reach of everything that agents may write to. */
function poolOf(home: string, source: Source): string {
  const hash = sha256Of(source.directory).slice(0, 32);
  return resolve(home, "cache", "trees", hash);
}

const CHECKOUT_MS = 10 * 60_000;

/** Creates Relay's own git directory of a run; its objects come from the source, as alternates. */
async function makeRepository(paths: RunPaths, source: Source): Promise<void> {
  const { repository } = paths;
  await mkdir(repository, { recursive: true, mode: 0o700 });
  const init = ["init", "--quiet", "--bare", "--template=", `--object-format=${source.format}`, repository];
  await mustGit("make a repository", repository, init);
  await linkToSource(paths, source);
}

/** Sets the source's objects as alternates, and turns every conversion of files off. */
async function linkToSource(paths: RunPaths, source: Source): Promise<void> {
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
async function checkOut(paths: RunPaths, commit: string, from?: string): Promise<void> {
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
