import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { RelayError, systemCode } from "../../../lib/errors.ts";
import { locked } from "../../../lib/lock.ts";
import { checkOut, furnish, makeRepository } from "./check-out.ts";
import { placeIn } from "./place.ts";
import type { RunPlace } from "./place.ts";
import { removeAll } from "./remove.ts";
import { describeSource } from "./source.ts";
import type { Source } from "./source.ts";

const readySchema = z.object({ source: z.string(), commit: z.string() });
const READY = "ready.json";
const HALF = ".half-";
const PATIENCE_MS = 1_000;

/**
 * Checks a commit out ahead of the run that will need it, while a plan waits for its confirmation for instance: what
 * takes longest in opening a workspace is writing its files. One tree of each repository is kept, and brought to the
 * newest commit that was asked for. Where another process is at it, nothing is done. Throws what `openWorkspace` throws.
 */
export async function prepareTree(home: string, from: string, commit: string): Promise<void> {
  const source = await describeSource(from);
  const shelf = shelfOf(home, source);
  await mkdir(shelf, { recursive: true, mode: 0o700 });
  try {
    await locked(`${shelf}.lock`, async () => await prepareAlone(shelf, source, commit), { patienceMs: PATIENCE_MS });
  } catch (error) {
    if (!(error instanceof RelayError) || error.code !== "conflict") throw error;
  }
}

async function prepareAlone(shelf: string, source: Source, commit: string): Promise<void> {
  for (const name of await readdir(shelf)) if (name.startsWith(HALF)) await removeAll(join(shelf, name));
  const [ready, ...more] = await readdir(shelf);
  for (const name of more) await removeAll(join(shelf, name));
  if (ready !== undefined && (await readyFor(join(shelf, ready)))?.commit === commit) return;
  const folder = join(shelf, `${HALF}${randomUUID()}`);
  const place = placeIn(folder);
  const moved = ready !== undefined && (await taken(join(shelf, ready), folder));
  if (!moved || !(await bringTo(place, source, commit))) {
    await removeAll(folder);
    await mkdir(place.tree, { recursive: true, mode: 0o700 });
    await makeRepository(place, source);
    await checkOut(place, commit);
  }
  await writeFile(join(folder, READY), JSON.stringify({ source: source.directory, commit }));
  await rename(folder, join(shelf, randomUUID()));
}

/** Makes a prepared tree the run's own, at the commit; false where there is none that can be used. */
export async function takePrepared(home: string, place: RunPlace, source: Source, commit: string): Promise<boolean> {
  const shelf = shelfOf(home, source);
  const names = await readdir(shelf).catch(() => []);
  for (const name of names.filter((one) => !one.startsWith("."))) {
    if (!(await taken(join(shelf, name), place.folder))) continue;
    if (await bringTo(place, source, commit)) return true;
    await removeAll(place.folder);
  }
  return false;
}

async function bringTo(place: RunPlace, source: Source, commit: string): Promise<boolean> {
  try {
    const ready = await readyFor(place.folder);
    if (ready?.source !== source.directory) return false;
    await removeAll(join(place.folder, READY));
    await furnish(place, source);
    if (ready.commit !== commit) await checkOut(place, commit, ready.commit);
    return true;
  } catch (error) {
    // Where the commit itself is the trouble, the checkout from nothing says so.
    if (error instanceof RelayError) return false;
    throw error;
  }
}

async function readyFor(folder: string): Promise<z.infer<typeof readySchema> | null> {
  const text = await readFile(join(folder, READY), "utf8").catch(() => "null");
  try {
    return readySchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** One of all that try gets it. */
async function taken(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** Apart from what agents may write to. */
function shelfOf(home: string, source: Source): string {
  const hash = createHash("sha256").update(source.directory).digest("hex").slice(0, 32);
  return resolve(home, "cache", "trees", hash);
}
