import { lstat, readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { messageOf } from "../../../lib/errors.ts";
import type { Log } from "../../../lib/log.ts";
import { removeAll } from "./remove.ts";
import { checkRun, dropRunHead } from "./source.ts";
import { sha256Of } from "../../../lib/sha256.ts";

/** The files of one run, below `RELAY_HOME/work`. */
export interface RunPaths {
  folder: string;
  tree: string;
  repository: string;
  home: string;
  cache: string;
  outside: string;
  /** Files moved out of the tree, until they are deleted. */
  trash: string;
  /** Copies of the ignore files. */
  shadow: string;
  staging: string;
  /** For clean checkouts of the run's commits. */
  clean: string;
  /** Identifies what the run keeps elsewhere. */
  record: string;
}

/** Identifies the repository whose ref protects the run's commits. */
const runRecord = z.object({ source: z.string() });

export function runPaths(home: string, run: string): RunPaths {
  return pathsIn(resolve(home, "work", checkRun(run)));
}

export function pathsIn(folder: string): RunPaths {
  return {
    folder,
    tree: join(folder, "tree"),
    repository: join(folder, "repository.git"),
    home: join(folder, "home"),
    cache: join(folder, "cache"),
    outside: join(folder, "outside"),
    trash: join(folder, "trash"),
    shadow: join(folder, "shadow"),
    staging: join(folder, "staging"),
    clean: join(folder, "clean"),
    record: join(folder, "run.json"),
  };
}

/** Where one repository's package manager caches are stored as its set-up left them; out of reach of all programs. */
export function storedCache(home: string, key: string): string {
  const fits = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(key);
  const name = fits ? key : sha256Of(key).slice(0, 32);
  return resolve(home, "cache", "packages", name);
}

/**
 * Removes the folders of runs whose worker was killed and that no worker continues, and releases their commits. Returns
 * their number. Failures are logged and retried next time.
 */
export async function sweepWorkspaces(
  home: string,
  listAlive: () => Promise<readonly string[]>,
  log: Log,
): Promise<number> {
  const folder = resolve(home, "work");
  let removed = 0;
  // A run is stored before its folder is created, so a folder without a live run is stale for good.
  const names = await readdir(folder).catch(() => []);
  const alive = new Set(names.length === 0 ? [] : await listAlive());
  for (const name of names) {
    if (alive.has(name) || !(await isFolder(join(folder, name)))) continue;
    try {
      const paths = pathsIn(join(folder, name));
      const source = await sourceOf(paths);
      if (source !== null) {
        await dropRunHead(source, name).catch((error: unknown) => {
          log.debug({ run: name, source, error: messageOf(error) }, "the run's source is gone");
        });
      }
      await removeAll(paths.folder);
      removed += 1;
    } catch (error) {
      log.warn({ run: name, error: messageOf(error) }, "cannot remove the folder of a dead run");
    }
  }
  return removed;
}

async function sourceOf(paths: RunPaths): Promise<string | null> {
  const text = await readFile(paths.record, "utf8").catch(() => "null");
  try {
    return runRecord.safeParse(JSON.parse(text)).data?.source ?? null;
  } catch {
    return null;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isDirectory() ?? false;
}
