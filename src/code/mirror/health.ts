import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { sleep } from "../../lib/clock.ts";
import { git } from "../git/git.ts";

const SECOND_LOOK_MS = 2_000;
const CHECK_MS = 10 * 60_000;
/** Files that git creates to be alone with a file, and renames over it. */
const LOCKABLE = ["HEAD.lock", "packed-refs.lock", "config.lock", "shallow.lock"] as const;

/** Bytes of every pack and index by name: all the objects that were fetched. */
export async function packsOf(directory: string): Promise<Record<string, number>> {
  const folder = join(directory, "objects", "pack");
  const packs: Record<string, number> = {};
  for (const name of await readdir(folder).catch(() => [])) {
    if (/^pack-[0-9a-f]+\.(?:pack|idx)$/.test(name)) packs[name] = (await stat(join(folder, name))).size;
  }
  return packs;
}

/**
 * Whether a mirror can be read and fetched into. Each time: the refs, what they point at, the files of HEAD, and that
 * no pack is gone or cut since `known` was written; where that looks wrong, or with `deep`, all that any ref reaches.
 */
export async function isSound(directory: string, known: Record<string, number>, deep = false): Promise<boolean> {
  const listed = await git(directory, ["for-each-ref", "--format=%(objecttype)"], { timeoutMs: CHECK_MS });
  // What cannot be read as a ref is only warned of.
  if (listed.code !== 0 || /^warning: ignoring broken ref/m.test(listed.stderr)) return false;
  const head = await git(directory, ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"]);
  if (head.code === 0) {
    const files = await git(directory, ["rev-list", "--objects", "--no-walk", "--quiet", "HEAD"], {
      timeoutMs: CHECK_MS,
    });
    if (files.code !== 0) return false;
  }
  const packs = await packsOf(directory);
  if (!deep && Object.entries(known).every(([name, bytes]) => packs[name] === bytes)) return true;
  const all = await git(directory, ["fsck", "--connectivity-only", "--no-dangling", "--no-progress"], {
    timeoutMs: CHECK_MS,
  });
  return all.code === 0;
}

/** Deletes half packs, which a git that failed or was killed leaves, also on a full disk. Only for the holder of our lock. */
export async function clearHalfPacks(directory: string): Promise<void> {
  const packs = join(directory, "objects", "pack");
  for (const name of await readdir(packs).catch(() => [])) {
    if (name.startsWith("tmp_") || name.startsWith(".tmp-")) await rm(join(packs, name), { force: true });
  }
}

/**
 * Deletes the lock files of a killed git. One may still belong to a git that outlived its Relay; one that is in use is
 * gone within moments, so what is the same at a second look is stale. Only for the holder of our lock.
 */
export async function clearStaleLocks(directory: string): Promise<void> {
  const first = await lockFiles(directory);
  if (first.size === 0) return;
  await sleep(SECOND_LOOK_MS);
  const second = await lockFiles(directory);
  for (const [file, identity] of first) if (second.get(file) === identity) await rm(file, { force: true });
}

async function lockFiles(directory: string): Promise<Map<string, string>> {
  const inRefs = await readdir(join(directory, "refs"), { recursive: true }).catch(() => []);
  const names = [...LOCKABLE, ...inRefs.filter((name) => name.endsWith(".lock")).map((name) => join("refs", name))];
  const found = new Map<string, string>();
  for (const name of names) {
    const file = join(directory, name);
    const info = await stat(file).catch(() => null);
    if (info?.isFile()) found.set(file, `${info.ino} ${info.mtimeMs} ${info.size}`);
  }
  return found;
}
