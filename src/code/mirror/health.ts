import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { sleep } from "../../lib/clock.ts";
import { git } from "../git/git.ts";

const STALE_AFTER_MS = 2_000;
const CHECK_MS = 10 * 60_000;
/** Lock files outside of `refs/`. */
const LOCK_FILES = ["HEAD.lock", "packed-refs.lock", "config.lock", "shallow.lock"] as const;

/** Bytes of every pack and pack index by name, which hold all fetched objects. */
export async function packSizes(directory: string): Promise<Record<string, number>> {
  const folder = join(directory, "objects", "pack");
  const packs: Record<string, number> = {};
  for (const name of await readdir(folder).catch(() => [])) {
    if (/^pack-[0-9a-f]+\.(?:pack|idx)$/.test(name)) packs[name] = (await stat(join(folder, name))).size;
  }
  return packs;
}

/**
 * Whether a mirror can be read and fetched into. Always checks the refs, their targets, the files of HEAD, and the packs
 * against their `known` sizes. When the packs differ, or with `deep`, checks everything that any ref reaches.
 */
export async function isIntact(directory: string, known: Record<string, number>, deep = false): Promise<boolean> {
  const listed = await git(directory, ["for-each-ref", "--format=%(objecttype)"], { timeoutMs: CHECK_MS });
  // Git only warns about unreadable refs.
  if (listed.code !== 0 || /^warning: ignoring broken ref/m.test(listed.stderr)) return false;
  const head = await git(directory, ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"]);
  if (head.code === 0) {
    const files = await git(directory, ["rev-list", "--objects", "--no-walk", "--quiet", "HEAD"], {
      timeoutMs: CHECK_MS,
    });
    if (files.code !== 0) return false;
  }
  const packs = await packSizes(directory);
  if (!deep && Object.entries(known).every(([name, bytes]) => packs[name] === bytes)) return true;
  const all = await git(directory, ["fsck", "--connectivity-only", "--no-dangling", "--no-progress"], {
    timeoutMs: CHECK_MS,
  });
  return all.code === 0;
}

/** Deletes partial packs, which a failed or killed git leaves behind. Only for the holder of the mirror's lock. */
export async function removePartialPacks(directory: string): Promise<void> {
  const packs = join(directory, "objects", "pack");
  for (const name of await readdir(packs).catch(() => [])) {
    if (name.startsWith("tmp_") || name.startsWith(".tmp-")) await rm(join(packs, name), { force: true });
  }
}

/**
 * Deletes the lock files of a killed git. A git that outlived its Relay may still hold one, but only for moments, so a
 * file that has not changed after two seconds is stale. Only for the holder of the mirror's lock.
 */
export async function removeStaleLocks(directory: string): Promise<void> {
  const first = await lockFiles(directory);
  if (first.size === 0) return;
  await sleep(STALE_AFTER_MS);
  const second = await lockFiles(directory);
  for (const [file, identity] of first) if (second.get(file) === identity) await rm(file, { force: true });
}

async function lockFiles(directory: string): Promise<Map<string, string>> {
  const inRefs = await readdir(join(directory, "refs"), { recursive: true }).catch(() => []);
  const names = [...LOCK_FILES, ...inRefs.filter((name) => name.endsWith(".lock")).map((name) => join("refs", name))];
  const found = new Map<string, string>();
  for (const name of names) {
    const file = join(directory, name);
    const info = await stat(file).catch(() => null);
    if (info?.isFile()) found.set(file, `${info.ino} ${info.mtimeMs} ${info.size}`);
  }
  return found;
}
