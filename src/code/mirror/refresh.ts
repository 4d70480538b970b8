import { mkdir } from "node:fs/promises";
import type { Clock } from "../../lib/clock.ts";
import { messageOf, RelayError, systemCode } from "../../lib/errors.ts";
import { locked } from "../../lib/lock.ts";
import { silentLog } from "../../lib/log.ts";
import type { Log } from "../../lib/log.ts";
import { readAdvertised } from "./advertised.ts";
import { tidy } from "./contents.ts";
import { conversation } from "./conversation.ts";
import { clearHalfPacks, packsOf } from "./health.ts";
import { cloneMirror, isDirectory, updateMirror } from "./job.ts";
import type { Job } from "./job.ts";
import type { NetworkLimits } from "./network-git.ts";
import { placeOf, sweep } from "./place.ts";
import type { Place } from "./place.ts";
import { parseRemote } from "./source.ts";
import type { MirrorSource } from "./source.ts";
import { readState, writeState } from "./state.ts";
import type { MirrorState } from "./state.ts";

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
