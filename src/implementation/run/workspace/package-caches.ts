import { mkdir, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { RelayError, systemCode } from "../../../lib/errors.ts";
import { exec } from "../../../lib/exec.ts";
import { locked } from "../../../lib/lock.ts";
import { removeAll } from "./remove.ts";

const COPY_MS = 10 * 60_000;
const LOCK_WAIT_MS = 60_000;

/**
 * Fills a run's cache with a copy of what package managers stored when the base was set up; programs of the run only
 * write to the copy (R-WORK-10, R-WORK-14). Without a usable cache it stays empty, which only costs time.
 */
export async function fillCache(stored: string, cache: string): Promise<void> {
  await mkdir(dirname(stored), { recursive: true, mode: 0o700 });
  const isWhole = await exclusively(stored, async () => await copied(stored, cache));
  if (isWhole) return;
  await removeAll(cache);
  await mkdir(cache, { recursive: true, mode: 0o700 });
}

/**
 * Stores a run's cache for later runs of the repository and replaces the previous one. If it cannot be copied, the
 * previous one stays.
 */
export async function storeCache(cache: string, stored: string): Promise<void> {
  const [next, old] = [`${stored}.next`, `${stored}.old`];
  await exclusively(stored, async () => {
    // Left by a process that was killed.
    for (const left of [next, old]) await removeAll(left);
    await mkdir(next, { recursive: true, mode: 0o700 });
    if (!(await copied(cache, next))) return false;
    await rename(stored, old).catch((error: unknown) => {
      if (systemCode(error) !== "ENOENT") throw error;
    });
    await rename(next, stored);
    await removeAll(old);
    return true;
  });
}

/** Uses copy-on-write where the file system can; with hard links, a program could change the original. */
async function copied(from: string, to: string): Promise<boolean> {
  const done = await exec("cp", ["-RPp", `${from}/.`, to], { timeoutMs: COPY_MS }).catch(() => null);
  return done?.code === 0;
}

async function exclusively(stored: string, work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await locked(`${stored}.lock`, work, { patienceMs: LOCK_WAIT_MS });
  } catch (error) {
    if (error instanceof RelayError && error.code === "conflict") return false;
    throw error;
  }
}
