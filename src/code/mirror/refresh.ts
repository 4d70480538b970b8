import { mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import type { Clock } from "../../lib/clock.ts";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";
import { locked } from "../../lib/lock.ts";
import type { Log } from "../../lib/log.ts";
import { silentLog } from "../../lib/log.ts";
import type { Advertised } from "./advertised-refs.ts";
import { readAdvertised } from "./advertised-refs.ts";
import { bringUpToDate, createEmpty, tidy } from "./update.ts";
import type { Converse } from "./remote-session.ts";
import { conversation } from "./remote-session.ts";
import { clearHalfPacks, clearStaleLocks, isSound, packsOf } from "./health.ts";
import type { NetworkLimits } from "./network-git.ts";
import type { Place } from "./mirror-directory.ts";
import { placeOf, sweep, temporaryBeside } from "./mirror-directory.ts";
import type { MirrorSource, Remote } from "./remote.ts";
import { parseRemote } from "./remote.ts";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod";

export interface Mirror {
  /** A bare repository, to be given to `openRepository`. */
  directory: string;
  fetchedAt: Date;
  defaultBranch: string;
  /** Whether a ref or the default branch is another one than before. */
  changed: boolean;
}

export interface RefreshOptions {
  /** `RELAY_HOME`. */
  home: string;
  clock: Clock;
  signal?: AbortSignal;
  log?: Log;
  limits?: Partial<NetworkLimits>;
}

const LIMITS: NetworkLimits = { overallMs: 30 * 60_000, silentSeconds: 60 };

/**
 * Brings the bare mirror of a remote repository up to date, cloning it the first time (R-EXP-4). Of all callers, in
 * whatever process, one fetches at a time; one whose waiting began before that fetch did takes its result.
 *
 * Branches and tags are those of the remote afterwards, HEAD names its default branch. What Relay itself needs to
 * keep in a mirror belongs under `refs/relay/`, which no fetch touches; working trees take detached commits.
 *
 * Throws `RelayError`: `usage` for an address or credential that is not accepted, `forbidden` when refused,
 * `not_found` when there is no repository, no branch in it, or not the ref asked for, `unavailable`, `timeout` and
 * `rate_limited` for what may pass, `invalid` for objects that git refuses, `io` for a full disk, `conflict` when
 * another process fetched for too long. The mirror stays as it was, or is fetched in part; it can be read either way.
 */
export async function refreshMirror(source: MirrorSource, options: RefreshOptions): Promise<Mirror> {
  const { clock, signal, log = silentLog } = options;
  const limits = { ...LIMITS, ...options.limits };
  const remote = parseRemote(source);
  const place = placeOf(options.home, remote);
  try {
    await mkdir(place.folder, { recursive: true, mode: 0o700 });
    const asked = (await readState(place)).begun;
    log.debug({ mirror: place.directory, url: remote.url }, "mirror asked for");
    const job = { source, remote, place, converse: conversation(source, remote, { limits, signal }), log };
    const patience = { patienceMs: 2 * limits.overallMs, signal };
    return await locked(place.lock, async () => await refreshAlone(job, asked, clock), patience);
  } catch (error) {
    if (error instanceof RelayError) throw error;
    if (signal?.aborted) throw new RelayError("unavailable", `waiting for ${remote.url} was stopped; start it again`);
    if (systemCode(error) === undefined) throw error;
    const what = `cannot keep the mirror ${place.directory}: ${messageOf(error)}`;
    throw new RelayError("io", `${what}; check the space and the permissions of RELAY_HOME`, { cause: error });
  }
}

async function refreshAlone(job: Job, asked: number, clock: Clock): Promise<Mirror> {
  const { source, remote, place, log } = job;
  const state = await readState(place);
  const wanted = source.refs ?? [];
  const exists = await isDirectory(place.directory);
  if (exists && state.completed > asked && wanted.length === 0) return mirrorOf(place, state, state.changed > asked);

  // First, since they may be what fills the disk.
  await sweep(place);
  await clearHalfPacks(place.directory);
  const begun = state.begun + 1;
  await writeState(place, { ...state, begun });
  const listing = await job.converse(place.folder, ["ls-remote", "--symref", "--", remote.url]);
  const advertised = readAdvertised(listing, wanted);
  if (advertised === null) {
    throw new RelayError("not_found", `${remote.url} has no branch yet; push a commit to it`);
  }
  const changed = exists ? await updateMirror(job, advertised, state) : await cloneMirror(job, advertised);
  if (changed) await tidy(place.directory, log);
  const { defaultBranch } = advertised;
  const done: MirrorState = {
    begun,
    completed: begun,
    changed: changed ? begun : state.changed,
    fetchedAt: clock.now().toISOString(),
    defaultBranch,
    packs: await packsOf(place.directory),
  };
  await writeState(place, done);
  log.info({ mirror: place.directory, url: remote.url, defaultBranch, changed }, "mirror refreshed");
  const absent = wanted.find((ref) => !advertised.refs.has(ref));
  if (absent !== undefined) throw new RelayError("not_found", `${remote.url} has no ref ${absent}; check its number`);
  return mirrorOf(place, done, changed);
}

function mirrorOf(place: Place, state: MirrorState, changed: boolean): Mirror {
  const { defaultBranch } = state;
  return { directory: place.directory, fetchedAt: new Date(state.fetchedAt), defaultBranch, changed };
}

/** What a refresh needs, put together. */
interface Job {
  source: MirrorSource;
  remote: Remote;
  place: Place;
  converse: Converse;
  log: Log;
}

/** A mirror that cannot be read any more is cloned again; the broken one stays until the new one is there. */
async function updateMirror(job: Job, advertised: Advertised, state: MirrorState): Promise<boolean> {
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
async function cloneMirror(job: Job, advertised: Advertised): Promise<boolean> {
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

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

/**
 * What is known about a mirror beside what is in it. Refreshes are numbered, so that whoever waited for one can tell
 * that it began after the asking, and therefore holds all that was pushed before; clocks could not tell.
 */
const stateSchema = z.object({
  begun: z.int().nonnegative(),
  completed: z.int().nonnegative(),
  /** The last refresh that changed something. */
  changed: z.int().nonnegative(),
  fetchedAt: z.iso.datetime(),
  defaultBranch: z.string(),
  /** Bytes by name of every pack and index, to notice that one is gone or cut. */
  packs: z.record(z.string(), z.int().nonnegative()),
});

type MirrorState = z.infer<typeof stateSchema>;

const NONE: MirrorState = {
  begun: 0,
  completed: 0,
  changed: 0,
  fetchedAt: new Date(0).toISOString(),
  defaultBranch: "",
  packs: {},
};

/** The stored state; that of a mirror which was never fetched where there is none, or none that can be read. */
async function readState(place: Place): Promise<MirrorState> {
  const text = await readFile(place.state, "utf8").catch(() => "null");
  try {
    return stateSchema.safeParse(JSON.parse(text)).data ?? NONE;
  } catch {
    return NONE;
  }
}

async function writeState(place: Place, state: MirrorState): Promise<void> {
  await writeFileAtomic(place.state, `${JSON.stringify(state)}\n`, { mode: 0o600 });
}
