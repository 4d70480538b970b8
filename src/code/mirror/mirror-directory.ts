import { createHash, randomUUID } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseRemote } from "./remote.ts";
import type { Remote } from "./remote.ts";

/** Hosts that answer to any spelling of owner and name; elsewhere `Shop` and `shop` may be two repositories. */
const CASELESS_HOSTS = new Set(["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"]);

/** Where one mirror and what belongs to it lie, below `RELAY_HOME/mirrors`. */
export interface Place {
  folder: string;
  /** The bare repository. */
  directory: string;
  lock: string;
  state: string;
  /** Begins the name of every temporary folder of this mirror. */
  temporary: string;
}

/**
 * The directory of a mirror: stable, readable, and the same for every spelling of one address (R-EXP-4).
 * Throws `RelayError` `usage` for an address that is not fetched.
 */
export function mirrorPath(home: string, url: string): string {
  return placeOf(home, parseRemote({ url, plainHttp: true })).directory;
}

export function placeOf(home: string, remote: Remote): Place {
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
    // Stays for good, therefore without the name of the repository.
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
  return `${remote.protocol}://${user}${host}${CASELESS_HOSTS.has(host) ? path.toLowerCase() : path}`;
}

/** A new name beside the mirror, on the same file system, so that a rename moves it in at once. */
export function temporaryBeside(place: Place): string {
  return join(place.folder, `${place.temporary}${randomUUID()}`);
}

/** Deletes the temporary folders that a killed process left. Only for the holder of the lock. */
export async function sweep(place: Place): Promise<void> {
  for (const name of await readdir(place.folder)) {
    if (name.startsWith(place.temporary)) await rm(join(place.folder, name), { recursive: true, force: true });
  }
}
