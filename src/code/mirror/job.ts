import { rename, rm, stat } from "node:fs/promises";
import { RelayError } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import type { Advertised } from "./advertised.ts";
import { bringUpToDate, createEmpty } from "./contents.ts";
import type { Converse } from "./conversation.ts";
import { clearHalfPacks, clearStaleLocks, isSound } from "./health.ts";
import { sweep, temporaryBeside } from "./place.ts";
import type { Place } from "./place.ts";
import type { MirrorSource, Remote } from "./source.ts";
import type { MirrorState } from "./state.ts";

/** What a refresh needs, put together. */
export interface Job {
  source: MirrorSource;
  remote: Remote;
  place: Place;
  converse: Converse;
  log: Log;
}

/** A mirror that cannot be read any more is cloned again; the broken one stays until the new one is there. */
export async function updateMirror(job: Job, advertised: Advertised, state: MirrorState): Promise<boolean> {
  const { place, remote, log } = job;
  const { directory } = place;
  await clearStaleLocks(directory);
  if (await isSound(directory, state.packs)) {
    try {
      return await bringUpToDate(directory, remote, advertised, job.converse);
    } catch (error) {
      await clearHalfPacks(directory);
      // What git says about a missing object at home is not to be told from what it says about a broken remote.
      const suspect = error instanceof RelayError && ["unavailable", "io", "invalid"].includes(error.code);
      if (!suspect || error.status !== undefined || (await isSound(directory, state.packs, true).catch(() => true)))
        throw error;
    }
  }
  log.warn({ mirror: directory, url: remote.url }, "mirror is broken and is cloned again");
  return await cloneMirror(job, advertised);
}

/** Makes a mirror beside its place, and moves it there once it is whole. */
export async function cloneMirror(job: Job, advertised: Advertised): Promise<boolean> {
  const { place, remote } = job;
  const fresh = temporaryBeside(place);
  try {
    await createEmpty(fresh, advertised);
    await bringUpToDate(fresh, remote, advertised, job.converse);
    if (await isDirectory(place.directory)) await rename(place.directory, temporaryBeside(place));
    await rename(fresh, place.directory);
    return true;
  } finally {
    await rm(fresh, { recursive: true, force: true });
    await sweep(place);
  }
}

export async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}
