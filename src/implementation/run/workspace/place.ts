import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { messageOf } from "../../../lib/errors.ts";
import type { Log } from "../../../lib/log.ts";
import { removeAll } from "./remove.ts";
import { checkRun, dropRunHead } from "./source.ts";

/** Where one run's files lie, below `RELAY_HOME/work`. */
export interface RunPlace {
  folder: string;
  tree: string;
  repository: string;
  home: string;
  outside: string;
  /** What was moved out of the tree, until it is deleted. */
  trash: string;
  /** Copies of the ignore rules. */
  shadow: string;
  staging: string;
  /** Notes down what the run holds elsewhere. */
  record: string;
}

/** Names the repository in which a ref keeps the run's commits. */
export const runRecord = z.object({ source: z.string() });

export function runPlace(home: string, run: string): RunPlace {
  return placeIn(resolve(home, "work", checkRun(run)));
}

export function placeIn(folder: string): RunPlace {
  return {
    folder,
    tree: join(folder, "tree"),
    repository: join(folder, "repository.git"),
    home: join(folder, "home"),
    outside: join(folder, "outside"),
    trash: join(folder, "trash"),
    shadow: join(folder, "shadow"),
    staging: join(folder, "staging"),
    record: join(folder, "run.json"),
  };
}

/** What package managers keep between runs of one repository; made where it is not there. */
export async function cacheFolder(home: string, key: string): Promise<string> {
  const fits = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(key);
  const name = fits ? key : createHash("sha256").update(key).digest("hex").slice(0, 32);
  const folder = resolve(home, "cache", "work", name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/**
 * Removes what runs left that are not alive any more: of a worker that was killed, and whose run goes on nowhere. Their
 * commits are given free. Tells how many there were; what cannot be removed is logged, and tried again the next time.
 */
export async function sweepWorkspaces(
  home: string,
  listAlive: () => Promise<readonly string[]>,
  log: Log,
): Promise<number> {
  const folder = resolve(home, "work");
  let removed = 0;
  // A run is stored before it has a folder, so whose folder is there and who is not alive now never will be.
  const names = await readdir(folder).catch(() => []);
  const alive = new Set(names.length === 0 ? [] : await listAlive());
  for (const name of names) {
    if (alive.has(name) || !(await isFolder(join(folder, name)))) continue;
    try {
      const place = placeIn(join(folder, name));
      const source = await sourceOf(place);
      if (source !== null) {
        await dropRunHead(source, name).catch((error: unknown) => {
          log.debug({ run: name, source, error: messageOf(error) }, "the run's source is not there any more");
        });
      }
      await removeAll(place.folder);
      removed += 1;
    } catch (error) {
      log.warn({ run: name, error: messageOf(error) }, "what a run left cannot be removed");
    }
  }
  return removed;
}

async function sourceOf(place: RunPlace): Promise<string | null> {
  const text = await readFile(place.record, "utf8").catch(() => "null");
  try {
    return runRecord.safeParse(JSON.parse(text)).data?.source ?? null;
  } catch {
    return null;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isDirectory() ?? false;
}
