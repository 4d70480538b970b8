import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { link, lstat, mkdir, open, readFile, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { SpecRef } from "../domain/spec.ts";
import type { Clock } from "../lib/clock.ts";
import { sleep } from "../lib/clock.ts";
import { RelayError, messageOf, systemCode } from "../lib/errors.ts";
import { folderOf, safeParts } from "./path.ts";
import type { SpecStore, WriteResult } from "./spec-store.ts";

const SIZE_LIMIT = 200 * 1024;
const FILE = "spec.md";
const LOCK_PATIENCE_MS = 10_000;

/**
 * Specs as files below a root (R-SPEC-9, R-SPEC-10). A reference's path begins with the root's own name, so that it
 * can be opened from where Relay runs.
 */
export function localSpecStore({ root, clock }: { root: string; clock: Clock }): SpecStore {
  const top = resolve(root);

  const fileOf = (ref: SpecRef): string => {
    const parts = safeParts(ref.path);
    if (ref.backend !== "local" || parts[0] !== basename(top) || parts.length < 2) {
      throw new RelayError("forbidden", `${JSON.stringify(ref.path)} is not a path inside the spec store ${root}`);
    }
    return join(top, ...parts.slice(1));
  };
  const refTo = (file: string, sha256: string): SpecRef => ({
    version: 1,
    backend: "local",
    path: `${basename(top)}/${file.slice(top.length + 1)}`,
    updated_at: clock.now().toISOString(),
    sha256,
    format: "markdown",
  });

  return {
    backend: "local",
    read: async (ref) => {
      const file = fileOf(ref);
      const content = await readRegular(top, file);
      if (content === null) throw new RelayError("not_found", `the spec ${ref.path} is gone from ${root}`);
      if (sha256Of(content) !== ref.sha256) {
        throw new RelayError(
          "invalid",
          `the spec ${ref.path} was changed outside of Relay: its sha256 is not the stored one`,
        );
      }
      return content;
    },
    exists: async (ref) => (await readRegular(top, fileOf(ref))) !== null,
    remove: async (ref) => {
      const file = fileOf(ref);
      await refuseLinks(top, file);
      await rm(dirname(file), { recursive: true, force: true });
    },
    write: async (owner, content, previous) =>
      await onDisk(top, async () => {
        checkSize(content);
        const file = previous === null ? join(top, folderOf(owner), FILE) : fileOf(previous);
        await mkdir(dirname(file), { recursive: true });
        await refuseLinks(top, file);
        return await locked(`${dirname(file)}/.lock`, async (): Promise<WriteResult> => {
          const before = await readRegular(top, file);
          const sha256 = sha256Of(content);
          if (before !== null && sha256Of(before) === sha256)
            return { kind: "unchanged", ref: previous ?? refTo(file, sha256) };
          if (before !== null && (previous === null || sha256Of(before) !== previous.sha256)) {
            return { kind: "conflict", current: refTo(file, sha256Of(before)) };
          }
          await removeLeftovers(dirname(file));
          if (before !== null && previous !== null) await keepInHistory(file, before, previous.updated_at);
          await replace(file, content);
          return { kind: "written", ref: refTo(file, sha256) };
        });
      }),
  };
}

function checkSize(content: string): void {
  const bytes = Buffer.byteLength(content);
  if (bytes <= SIZE_LIMIT && content !== "") return;
  throw new RelayError("too_large", `a spec must have 1 to ${SIZE_LIMIT} bytes, this one has ${bytes}`);
}

/** A plain file inside the root; null when there is none. */
async function readRegular(top: string, file: string): Promise<string | null> {
  await refuseLinks(top, file);
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const { size } = await handle.stat();
      if (size > SIZE_LIMIT)
        throw new RelayError("too_large", `${file} is larger than ${SIZE_LIMIT} bytes; it is no spec`);
      return await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return null;
    if (systemCode(error) === "ELOOP") throw linkRefused(file);
    throw error;
  }
}

/** No folder between the root and the file may be a link: it could lead out. */
async function refuseLinks(top: string, file: string): Promise<void> {
  for (let at = file; at.length > top.length; at = dirname(at)) {
    const found = await lstat(at).catch(() => null);
    if (found?.isSymbolicLink()) throw linkRefused(at);
  }
}

function linkRefused(path: string): RelayError {
  return new RelayError("forbidden", `${path} is a symbolic link; the spec store does not follow links`);
}

/** The earlier version is safe in `history/` before the new one takes its place. */
async function keepInHistory(file: string, content: string, updatedAt: string): Promise<void> {
  const folder = join(dirname(file), "history");
  await mkdir(folder, { recursive: true });
  const stamp = updatedAt.replaceAll(":", "-").replace(/\.\d+/, "");
  for (let n = 1; ; n += 1) {
    const target = join(folder, `${stamp}${n === 1 ? "" : `-${n}`}_${FILE}`);
    const there = await readFile(target, "utf8").catch(() => null);
    if (there === content) return;
    if (there !== null) continue;
    await replace(target, content);
    return;
  }
}

/** Old or new, never half: a temporary file that is synced, then renamed, then its folder synced. */
async function replace(file: string, content: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  const handle = await open(temporary, "w", 0o644);
  try {
    await handle.writeFile(content);
    await handle.chmod(0o644);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  const folder = await open(dirname(file), "r");
  await folder.sync().catch(() => {});
  await folder.close();
}

/** What processes that are gone have left; those of living ones are theirs. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = /^(?:spec\.md|\.lock)\.(\d+)\.(?:.*\.)?tmp$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

/**
 * One writer at a time, across processes. The lock is a file that holds the owner's process id, made whole under
 * another name and linked into place, so that it is never seen empty; the lock of a process that is gone is taken over.
 */
async function locked<T>(lock: string, work: () => Promise<T>): Promise<T> {
  const own = `${lock}.${process.pid}.${Math.trunc(performance.now() * 1000)}.tmp`;
  const giveUp = Date.now() + LOCK_PATIENCE_MS;
  const handle = await open(own, "wx");
  await handle.writeFile(String(process.pid));
  await handle.close();
  try {
    for (;;) {
      try {
        await link(own, lock);
        break;
      } catch (error) {
        if (systemCode(error) !== "EEXIST") throw error;
      }
      const holder = Number(await readFile(lock, "utf8").catch(() => "0"));
      if (holder > 0 && holder !== process.pid && !isAlive(holder)) {
        // Renaming is what only one of several successors can do.
        await rename(lock, `${own}.stale`).catch(() => {});
        await rm(`${own}.stale`, { force: true });
        continue;
      }
      if (Date.now() > giveUp) {
        throw new RelayError("conflict", `process ${holder} holds ${lock} for too long; try again`, {
          retryable: true,
        });
      }
      await sleep(15);
    }
    try {
      return await work();
    } finally {
      await rm(lock, { force: true });
    }
  } finally {
    await rm(own, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

/** The file system's refusals, in one sentence. */
async function onDisk<T>(top: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RelayError) throw error;
    const full = systemCode(error) === "ENOSPC" || systemCode(error) === "EDQUOT";
    const mend = full ? "free some room" : "make it writable, or set RELAY_SPEC_ROOT";
    throw new RelayError("io", `cannot write the spec below ${top}: ${messageOf(error)}; ${mend}`, { cause: error });
  }
}

function sha256Of(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}
