import { mkdir, readFile, readdir, rename, rm, stat } from "node:fs/promises";
import { type Clock, sleep } from "../../lib/clock.ts";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";
import { locked } from "../../lib/lock.ts";
import { type Log, silentLog } from "../../lib/log.ts";
import { type AdvertisedRefs, lsRemote } from "./ls-remote.ts";
import type { NetworkLimits } from "./network-git.ts";
import { type MirrorPaths, mirrorPathsOf, removeTemporaries, temporaryPath } from "./mirror-directory.ts";
import { type MirrorSource, type Remote, parseRemote } from "./remote.ts";
import { type RemoteGit, remoteGit } from "./remote-git.ts";
import { collectGarbage, initMirror, syncMirror } from "./update.ts";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod";
import { join } from "node:path";
import { git } from "../git/git.ts";

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
 * Afterwards branches and tags are those of the remote, and HEAD names its default branch. Relay's own refs belong
 * under `refs/relay/`, which no fetch touches; working trees check out detached commits.
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
 * The stored state of a mirror. Refreshes are numbered, so that a waiting caller knows whether a refresh began after
 * its request and therefore includes everything pushed before; clocks could not show this.
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

/** The stored state; `NEVER_FETCHED` if there is none, or it cannot be parsed. */
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

const STALE_AFTER_MS = 2_000;
const CHECK_MS = 10 * 60_000;
/** Lock files outside of `refs/`. */
const LOCK_FILES = ["HEAD.lock", "packed-refs.lock", "config.lock", "shallow.lock"] as const;

/** Bytes of every pack and pack index by name, which hold all fetched objects. */
async function packSizes(directory: string): Promise<Record<string, number>> {
  const folder = join(directory, "objects", "pack");
  const packs: Record<string, number> = {};
  for (const name of await readdir(folder).catch(() => [])) {
    if (/^pack-[0-9a-f]+\.(?:pack|idx)$/.test(name)) packs[name] = (await stat(join(folder, name))).size;
  }
  return packs;
}

/**
 * Whether a mirror can be read and fetched into. Always checks the refs, their targets, the files of HEAD, and the
 * packs against their `known` sizes. When the packs differ, or with `deep`, checks everything that any ref reaches.
 */
async function isIntact(directory: string, known: Record<string, number>, deep = false): Promise<boolean> {
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
async function removePartialPacks(directory: string): Promise<void> {
  const packs = join(directory, "objects", "pack");
  for (const name of await readdir(packs).catch(() => [])) {
    if (name.startsWith("tmp_") || name.startsWith(".tmp-")) await rm(join(packs, name), { force: true });
  }
}

/**
 * Deletes the lock files of a killed git. A git that outlived its Relay may still hold one, but only for moments, so a
 * file that has not changed after two seconds is stale. Only for the holder of the mirror's lock.
 */
async function removeStaleLocks(directory: string): Promise<void> {
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
