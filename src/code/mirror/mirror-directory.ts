import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
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
  return {
    folder,
    directory: join(folder, `${words.slice(0, 80)}-${hash}.git`),
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
export function temporaryPath(paths: MirrorPaths): string {
  return join(paths.folder, `${paths.temporary}${randomUUID()}`);
}

/** Deletes temporary folders of killed processes. Only for the holder of the lock. */
export async function removeTemporaries(paths: MirrorPaths): Promise<void> {
  for (const name of await readdir(paths.folder)) {
    if (name.startsWith(paths.temporary)) await rm(join(paths.folder, name), { recursive: true, force: true });
  }
}

const LOCK_TIMEOUT_MS = 60_000;

/**
 * Deletes a mirror; false when there was none. Renames it first, so that no reader sees half a repository: one at work
 * keeps its open files, or fails on a missing object. Throws `RelayError` `conflict` (retryable) when a fetch holds the
 * lock for more than a minute.
 */
export async function removeMirror(home: string, url: string): Promise<boolean> {
  const paths = mirrorPathsOf(home, parseRemote({ url, plainHttp: true }));
  await mkdir(paths.folder, { recursive: true, mode: 0o700 });
  const remove = async (): Promise<boolean> => {
    const found = await rename(paths.directory, temporaryPath(paths)).then(
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
