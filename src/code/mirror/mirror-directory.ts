import { createHash, randomUUID } from "node:crypto";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { systemCode } from "../../lib/errors.ts";
import { locked } from "../../lib/lock.ts";
import { parseRemote, type Remote } from "./remote.ts";

/** Hosts that ignore case in paths; elsewhere `Shop` and `shop` may be two repositories. */
const CASE_INSENSITIVE_HOSTS = new Set(["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"]);

/** The paths of one mirror and its files below `RELAY_HOME/mirrors`. */
export interface MirrorPaths {
  folder: string;
  /** The bare repository. */
  directory: string;
  lock: string;
  state: string;
  /** Name prefix of the temporary folders of this mirror. */
  temporary: string;
}

/**
 * The directory of a mirror: stable, readable, and the same for every spelling of one address (R-EXP-4).
 * Throws `RelayError` `usage` for an address that is not fetched.
 */
export function mirrorPath(home: string, url: string): string {
  return mirrorPathsOf(home, parseRemote({ url, plainHttp: true })).directory;
}

export function mirrorPathsOf(home: string, remote: Remote): MirrorPaths {
  const key = keyOf(remote);
  const hash = createHash("sha256").update(key).digest("hex").slice(0, 16);
  const words = key
    .slice(key.indexOf("://") + 3)
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, "-")
    .replaceAll(/^[-.]+|[-.]+$/g, "");
  // Absolute, since git runs in the mirror.
  const folder = resolve(home, "mirrors");
  return { ...filesOf(folder, hash), directory: join(folder, `${words.slice(0, 80)}-${hash}.git`) };
}

function filesOf(folder: string, hash: string): Omit<MirrorPaths, "directory"> {
  return {
    folder,
    // Never deleted, therefore without the name of the repository.
    lock: join(folder, `${hash}.lock`),
    state: join(folder, `${hash}.json`),
    temporary: `.${hash}-`,
  };
}

function keyOf(remote: Remote): string {
  const path = remote.url
    .slice(remote.url.indexOf("/", remote.protocol.length + 3))
    .replaceAll(/\/{2,}/g, "/")
    .replace(/\/$/, "")
    .replace(/\.git$/i, "");
  const host = remote.origin.slice(remote.protocol.length + 3);
  const user = /^ssh:\/\/([^@/]+@)/.exec(remote.url)?.[1] ?? "";
  return `${remote.protocol}://${user}${host}${CASE_INSENSITIVE_HOSTS.has(host) ? path.toLowerCase() : path}`;
}

/** A new temporary path on the file system of the mirror, so that a rename is atomic. */
export function temporaryPath(paths: Pick<MirrorPaths, "folder" | "temporary">): string {
  return join(paths.folder, `${paths.temporary}${randomUUID()}`);
}

/** Deletes temporary folders of killed processes. Only for the holder of the lock. */
export async function removeTemporaries(paths: Pick<MirrorPaths, "folder" | "temporary">): Promise<void> {
  for (const name of await readdir(paths.folder)) {
    if (name.startsWith(paths.temporary)) await rm(join(paths.folder, name), { recursive: true, force: true });
  }
}

const LOCK_TIMEOUT_MS = 60_000;

/**
 * Deletes a mirror, unless it was used after `unusedSince`; false if there was nothing to delete. Renames it first, so
 * that no reader sees half a repository: a running reader keeps its open files, or fails on a missing object. Throws
 * `RelayError` `conflict` (retryable) if a fetch holds the lock for more than a minute.
 */
export async function removeMirror(directory: string, unusedSince: Date | null = null): Promise<boolean> {
  const hash = /-([0-9a-f]{16})\.git$/.exec(directory)?.[1];
  if (hash === undefined) return false;
  const paths = filesOf(dirname(directory), hash);
  const remove = async (): Promise<boolean> => {
    if (unusedSince !== null && (await lastUse(directory)) >= unusedSince) return false;
    const found = await rename(directory, temporaryPath(paths)).then(
      () => true,
      (error: unknown) => {
        if (systemCode(error) === "ENOENT") return false;
        throw error;
      },
    );
    await rm(paths.state, { force: true });
    await removeTemporaries(paths);
    return found;
  };
  return await locked(paths.lock, remove, { patienceMs: LOCK_TIMEOUT_MS });
}

/** When a mirror was last used. */
export async function lastUse(directory: string): Promise<Date> {
  const hash = /-([0-9a-f]{16})\.git$/.exec(directory)?.[1] ?? "";
  const { state } = filesOf(dirname(directory), hash);
  const written = (await stat(state).catch(() => null)) ?? (await stat(directory).catch(() => null));
  return written?.mtime ?? new Date(0);
}

/** All mirrors below a home. */
export async function listMirrors(home: string): Promise<string[]> {
  const folder = resolve(home, "mirrors");
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => /^[^.].*-[0-9a-f]{16}\.git$/.test(name)).map((name) => join(folder, name));
}
