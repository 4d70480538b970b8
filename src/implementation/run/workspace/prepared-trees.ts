import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { RelayError, systemCode } from "../../../lib/errors.ts";
import { locked } from "../../../lib/lock.ts";
import { checkOut, linkToSource, makeRepository } from "./checkout.ts";
import { fillCache } from "./package-caches.ts";
import { pathsIn, type RunPaths } from "./run-paths.ts";
import { removeAll } from "./remove.ts";
import { describeSource, type Source } from "./source.ts";
import { sha256Of } from "../../../lib/sha256.ts";

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
