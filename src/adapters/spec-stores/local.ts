import { mkdir, realpath, rm } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import type { SpecRef } from "../../domain/spec.ts";
import type { Clock } from "../../lib/clock.ts";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";
import { type Folder, inFolder } from "./folder.ts";
import { locked } from "../../lib/lock.ts";
import { SPEC_FILE, folderOf, storedPath } from "./path.ts";
import type { SpecStore, WriteResult } from "./spec-store.ts";
import { HISTORY, SIZE_LIMIT, checkSize, checkedText, earlierName, folderFor, settled } from "./versions.ts";
import { sha256Of } from "../../lib/sha256.ts";

const LOCK = ".lock";

const placeOf = (ref: SpecRef): string => folderFor(ref, "local");

function refTo(folder: string, sha256: string, updatedAt: Date): SpecRef {
  const path = storedPath(folder);
  return { version: 1, backend: "local", path, updated_at: updatedAt.toISOString(), sha256, format: "markdown" };
}

/**
 * Specs as files below a root (R-SPEC-9 to 11): `{root}/issue_…/spec.md`, with each earlier version in `history/`.
 * The root itself may be a link, since its owner chose it; links below it are not followed.
 */
export function localSpecStore({ root, clock }: { root: string; clock: Clock }): SpecStore {
  const top = resolve(root);
  const bytesOf = async (ref: SpecRef): Promise<Buffer | null> =>
    await inFolder(join(top, placeOf(ref)), async (folder) => {
      const current = await folder.read(SPEC_FILE, SIZE_LIMIT);
      if (current === null || sha256Of(current) === ref.sha256) return current;
      return (await folder.ifThere(HISTORY, async (history) => await earlierIn(history, ref))) ?? current;
    });

  return {
    backend: "local",
    read: async (ref) =>
      await onDisk("read", top, async () => {
        return checkedText(await bytesOf(ref), ref, top);
      }),
    exists: async (ref) => await onDisk("read", top, async () => (await bytesOf(ref)) !== null),
    remove: async (ref) => {
      await onDisk("remove", top, async () => {
        await rm(join(top, placeOf(ref)), { recursive: true, force: true });
      });
    },
    where: (ref) => {
      const file = join(top, placeOf(ref), SPEC_FILE);
      const fromHere = relative("", file);
      return fromHere.startsWith("..") ? file : fromHere;
    },
    address: async () => await Promise.resolve(null),
    write: async (owner, content, previous) =>
      await onDisk("write", top, async () => {
        checkSize(content);
        const name = previous === null ? folderOf(owner) : placeOf(previous);
        await mkdir(top, { recursive: true, mode: 0o700 });
        return await locked(join(top, LOCK), async () => {
          const result = await inFolder(
            await realpath(top),
            async (above) => await above.inside(name, async (folder) => await replaced(folder, name)),
          );
          if (!result) throw new RelayError("io", `the folder ${top} vanished while it was written to; try again`);
          return result;
        });

        async function replaced(folder: Folder, inTop: string): Promise<WriteResult> {
          const before = await folder.read(SPEC_FILE, SIZE_LIMIT);
          const sha256 = sha256Of(content);
          if (before !== null) {
            const found = refTo(inTop, sha256Of(before), await folder.writtenAt(SPEC_FILE));
            const result = settled(found, sha256, previous);
            if (result !== null) return result;
            const keptAt = new Date(previous?.updated_at ?? found.updated_at);
            await folder.inside(HISTORY, async (history) => {
              await keepEarlier(history, before.toString("utf8"), keptAt);
            });
          }
          await folder.removeLeftovers();
          await folder.replace(SPEC_FILE, content);
          return { kind: "written", ref: refTo(inTop, sha256, clock.now()) };
        }
      }),
  };
}

/** Copies the earlier version to `history/` before it is replaced; a crash may have done so already. */
async function keepEarlier(history: Folder, content: string, updatedAt: Date): Promise<void> {
  await history.removeLeftovers();
  for (let at = updatedAt.getTime(); ; at += 1) {
    const there = await history.read(earlierName(at), SIZE_LIMIT);
    if (there === null) {
      await history.replace(earlierName(at), content);
      return;
    }
    if (there.toString("utf8") === content) return;
  }
}

/** The version of a reference, stored by `keepEarlier`; null if there is none. */
async function earlierIn(history: Folder, { sha256 }: SpecRef): Promise<Buffer | null> {
  for (const name of await history.names()) {
    const there = name.endsWith(`_${SPEC_FILE}`) ? await history.read(name, SIZE_LIMIT) : null;
    if (there !== null && sha256Of(there) === sha256) return there;
  }
  return null;
}

/** Maps file system errors to one sentence. */
async function onDisk<T>(doing: "read" | "write" | "remove", top: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RelayError) throw error;
    throw refusedByDisk(doing, top, error);
  }
}

/** The remedy for a file system error. */
export function refusedByDisk(doing: "read" | "write" | "remove", top: string, error: unknown): RelayError {
  const full = ["ENOSPC", "EDQUOT"].includes(systemCode(error) ?? "");
  const open = doing === "read" ? "make it readable" : "make it writable";
  const mend = full ? "the disk is full: free some room" : `${open}, or set RELAY_SPEC_ROOT to another folder`;
  return new RelayError("io", `cannot ${doing} the spec below ${top} (${messageOf(error)}); ${mend}`, {
    cause: error,
    retryable: full,
  });
}
