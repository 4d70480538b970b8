import { mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import type { Clock } from "../../lib/clock.ts";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";
import { locked } from "../../lib/lock.ts";
import type { Log } from "../../lib/log.ts";
import { silentLog } from "../../lib/log.ts";
import { lsRemote } from "./ls-remote.ts";
import type { AdvertisedRefs } from "./ls-remote.ts";
import { isIntact, packSizes, removePartialPacks, removeStaleLocks } from "./health.ts";
import type { NetworkLimits } from "./network-git.ts";
import { mirrorPathsOf, removeTemporaries, temporaryPath } from "./mirror-directory.ts";
import type { MirrorPaths } from "./mirror-directory.ts";
import type { MirrorSource, Remote } from "./remote.ts";
import { remoteGit } from "./remote-git.ts";
import type { RemoteGit } from "./remote-git.ts";
import { collectGarbage, initMirror, syncMirror } from "./update.ts";
import { parseRemote } from "./remote.ts";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod";

export interface Mirror {
  /** A bare repository, for `openRepository`. */
  directory: string;
  fetchedAt: Date;
  defaultBranch: string;
  /** Whether a ref or the default branch changed. */
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
 * Updates the bare mirror of a remote repository, cloning it the first time (R-EXP-4). Callers in all processes fetch
 * one at a time; a caller that was already waiting when a fetch began shares its result.
 *
 * Afterwards branches and tags are those of the remote, and HEAD names its default branch. Relay's own refs belong under
 * `refs/relay/`, which no fetch touches; working trees check out detached commits.
 *
 * Throws `RelayError`: `usage` for an invalid address or credential, `forbidden` when access is denied, `not_found`
 * without a repository, branch or requested ref, `unavailable`, `timeout` and `rate_limited` for temporary failures,
 * `invalid` for objects that git rejects, `io` for a full disk, `conflict` when another process fetches for too long.
 * The mirror stays readable, whether unchanged or partly fetched.
 */
export async function refreshMirror(source: MirrorSource, options: RefreshOptions): Promise<Mirror> {
  const { clock, signal, log = silentLog } = options;
  const limits = { ...LIMITS, ...options.limits };
  const remote = parseRemote(source);
  const paths = mirrorPathsOf(options.home, remote);
  try {
    await mkdir(paths.folder, { recursive: true, mode: 0o700 });
    const requestedAfter = (await readState(paths)).begun;
    log.debug({ mirror: paths.directory, url: remote.url }, "mirror asked for");
    const job = { source, remote, paths, run: remoteGit(source, remote, { limits, signal }), log };
    const patience = { patienceMs: 2 * limits.overallMs, signal };
    return await locked(paths.lock, async () => await refreshLocked(job, requestedAfter, clock), patience);
  } catch (error) {
    if (error instanceof RelayError) throw error;
    if (signal?.aborted) throw new RelayError("unavailable", `waiting for ${remote.url} was stopped; start it again`);
    if (systemCode(error) === undefined) throw error;
    const what = `cannot keep the mirror ${paths.directory}: ${messageOf(error)}`;
    throw new RelayError("io", `${what}; check the space and the permissions of RELAY_HOME`, { cause: error });
  }
}

/** @param requestedAfter Number of the last refresh that had begun when this one was requested. */
async function refreshLocked(job: Job, requestedAfter: number, clock: Clock): Promise<Mirror> {
  const { source, remote, paths, log } = job;
  const state = await readState(paths);
  const wanted = source.refs ?? [];
  const exists = await isDirectory(paths.directory);
  if (exists && state.completed > requestedAfter && wanted.length === 0)
    return mirrorOf(paths, state, state.changed > requestedAfter);

  // First, since leftovers may have filled the disk.
  await removeTemporaries(paths);
  await removePartialPacks(paths.directory);
  const begun = state.begun + 1;
  await writeState(paths, { ...state, begun });
  const advertised = await lsRemote(job.run, paths.folder, remote, wanted);
  const changed = exists ? await updateMirror(job, advertised, state) : await cloneMirror(job, advertised);
  if (changed) await collectGarbage(paths.directory, log);
  const { defaultBranch } = advertised;
  const done: MirrorState = {
    begun,
    completed: begun,
    changed: changed ? begun : state.changed,
    fetchedAt: clock.now().toISOString(),
    defaultBranch,
    packs: await packSizes(paths.directory),
  };
  await writeState(paths, done);
  log.info({ mirror: paths.directory, url: remote.url, defaultBranch, changed }, "mirror refreshed");
  const absent = wanted.find((ref) => !advertised.refs.has(ref));
  if (absent !== undefined) throw new RelayError("not_found", `${remote.url} has no ref ${absent}; check its number`);
  return mirrorOf(paths, done, changed);
}

function mirrorOf(paths: MirrorPaths, state: MirrorState, changed: boolean): Mirror {
  const { defaultBranch } = state;
  return { directory: paths.directory, fetchedAt: new Date(state.fetchedAt), defaultBranch, changed };
}

interface Job {
  source: MirrorSource;
  remote: Remote;
  paths: MirrorPaths;
  run: RemoteGit;
  log: Log;
}

/** Fetches into the mirror. Clones a broken mirror again, which stays in place until the new one is complete. */
async function updateMirror(job: Job, advertised: AdvertisedRefs, state: MirrorState): Promise<boolean> {
  const { paths, remote, log } = job;
  const { directory } = paths;
  await removeStaleLocks(directory);
  if (await isIntact(directory, state.packs)) {
    try {
      return await syncMirror(directory, remote, advertised, job.run);
    } catch (error) {
      await removePartialPacks(directory);
      // Git reports missing local objects and a broken remote alike.
      const suspect = error instanceof RelayError && ["unavailable", "io", "invalid"].includes(error.code);
      if (!suspect || error.status !== undefined || (await isIntact(directory, state.packs, true).catch(() => true)))
        throw error;
    }
  }
  log.warn({ mirror: directory, url: remote.url }, "mirror is broken and is cloned again");
  return await cloneMirror(job, advertised);
}

/** Clones beside the mirror and renames the clone into place once it is complete. */
async function cloneMirror(job: Job, advertised: AdvertisedRefs): Promise<boolean> {
  const { paths, remote } = job;
  const fresh = temporaryPath(paths);
  try {
    await initMirror(fresh, advertised);
    await syncMirror(fresh, remote, advertised, job.run);
    if (await isDirectory(paths.directory)) await rename(paths.directory, temporaryPath(paths));
    await rename(fresh, paths.directory);
    return true;
  } finally {
    await rm(fresh, { recursive: true, force: true });
    await removeTemporaries(paths);
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

/**
 * The stored state of a mirror. Refreshes are numbered, so that a waiting caller can tell whether a refresh began after
 * its request and therefore includes everything pushed before; clocks could not tell.
 */
const stateSchema = z.object({
  begun: z.int().nonnegative(),
  completed: z.int().nonnegative(),
  /** Number of the last refresh that changed something. */
  changed: z.int().nonnegative(),
  fetchedAt: z.iso.datetime(),
  defaultBranch: z.string(),
  /** Bytes of every pack and pack index by name, to detect lost or truncated ones. */
  packs: z.record(z.string(), z.int().nonnegative()),
});

type MirrorState = z.infer<typeof stateSchema>;

const NEVER_FETCHED: MirrorState = {
  begun: 0,
  completed: 0,
  changed: 0,
  fetchedAt: new Date(0).toISOString(),
  defaultBranch: "",
  packs: {},
};

/** The stored state; `NEVER_FETCHED` where there is none, or it cannot be parsed. */
async function readState(paths: MirrorPaths): Promise<MirrorState> {
  const text = await readFile(paths.state, "utf8").catch(() => "null");
  try {
    return stateSchema.safeParse(JSON.parse(text)).data ?? NEVER_FETCHED;
  } catch {
    return NEVER_FETCHED;
  }
}

async function writeState(paths: MirrorPaths, state: MirrorState): Promise<void> {
  await writeFileAtomic(paths.state, `${JSON.stringify(state)}\n`, { mode: 0o600 });
}
