import { RelayError } from "../../lib/errors.ts";
import type { NetworkLimits } from "./network-git.ts";
import { parseRemote, type MirrorSource, type Remote } from "./remote.ts";
import { remoteGit, type RemoteGit } from "./remote-git.ts";

/** The refs that a remote advertises. */
export interface AdvertisedRefs {
  /** Object names by full ref name: branches, tags, and the refs requested by name. */
  refs: ReadonlyMap<string, string>;
  /** The branch that HEAD names, else a guess. */
  defaultBranch: string;
  objectFormat: "sha1" | "sha256";
}

/**
 * Lists the refs of a remote. `directory` is any existing one. Throws `RelayError` `not_found` for a remote without a
 * branch.
 */
export async function lsRemote(
  run: RemoteGit,
  directory: string,
  remote: Remote,
  wanted: readonly string[],
): Promise<AdvertisedRefs> {
  const advertised = parseLsRemote(await run(directory, ["ls-remote", "--symref", "--", remote.url]), wanted);
  if (advertised !== null) return advertised;
  throw new RelayError("not_found", `${remote.url} has no branch yet; push a commit to it`);
}

const PROBE_LIMITS: NetworkLimits = { overallMs: 60_000, silentSeconds: 20 };

/**
 * Checks access to a remote with the git and the credential that a mirror would use, without fetching anything.
 * `directory` is any existing one. Throws what `refreshMirror` throws for a remote that cannot be fetched.
 */
export async function probeRemote(source: MirrorSource, directory: string): Promise<{ defaultBranch: string }> {
  const remote = parseRemote(source);
  const run = remoteGit(source, remote, { limits: PROBE_LIMITS, signal: undefined });
  const { defaultBranch } = await lsRemote(run, directory, remote, []);
  return { defaultBranch };
}

/** Parses `git ls-remote --symref`; `null` when there is no branch. */
export function parseLsRemote(listing: string, wanted: readonly string[]): AdvertisedRefs | null {
  const refs = new Map<string, string>();
  let named: string | undefined;
  let head: string | undefined;
  for (const line of listing.split("\n")) {
    const tab = line.indexOf("\t");
    const [value, name] = [line.slice(0, Math.max(tab, 0)), line.slice(tab + 1)];
    if (tab === -1 || name.endsWith("^{}")) continue;
    if (name === "HEAD" && value.startsWith("ref: refs/heads/")) named = value.slice("ref: refs/heads/".length);
    else if (name === "HEAD") head = value;
    else if (isWanted(name, wanted)) refs.set(name, value);
  }
  const defaultBranch = named !== undefined && refs.has(`refs/heads/${named}`) ? named : guessDefault(refs, head);
  if (defaultBranch === undefined) return null;
  const format = refs.get(`refs/heads/${defaultBranch}`)?.length === 64 ? "sha256" : "sha1";
  return { refs, defaultBranch, objectFormat: format };
}

function isWanted(name: string, wanted: readonly string[]): boolean {
  return name.startsWith("refs/heads/") || name.startsWith("refs/tags/") || wanted.includes(name);
}

/** For a detached HEAD: a branch at the same commit, a conventional one, or the first. */
function guessDefault(refs: ReadonlyMap<string, string>, head: string | undefined): string | undefined {
  const branches = [...refs].flatMap(([name, value]) =>
    name.startsWith("refs/heads/") ? [{ name: name.slice("refs/heads/".length), value }] : [],
  );
  const atHead = branches.filter(({ value }) => value === head);
  const candidates = atHead.length > 0 ? atHead : branches;
  const conventional =
    candidates.find(({ name }) => name === "main") ?? candidates.find(({ name }) => name === "master");
  return (conventional ?? candidates[0])?.name;
}
