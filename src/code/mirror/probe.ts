import { RelayError } from "../../lib/errors.ts";
import { readAdvertised } from "./advertised-refs.ts";
import { conversation } from "./remote-session.ts";
import type { NetworkLimits } from "./network-git.ts";
import { parseRemote } from "./remote.ts";
import type { MirrorSource } from "./remote.ts";

const LIMITS: NetworkLimits = { overallMs: 60_000, silentSeconds: 20 };

/**
 * Asks a remote repository what it has, by the same git and credential that a mirror is fetched with, and fetches
 * nothing. `directory` is any that exists. Throws what `refreshMirror` throws for a remote that cannot be fetched.
 */
export async function probeRemote(source: MirrorSource, directory: string): Promise<{ defaultBranch: string }> {
  const remote = parseRemote(source);
  const converse = conversation(source, remote, { limits: LIMITS, signal: undefined });
  const advertised = readAdvertised(await converse(directory, ["ls-remote", "--symref", "--", remote.url]), []);
  if (advertised !== null) return { defaultBranch: advertised.defaultBranch };
  throw new RelayError("not_found", `${remote.url} has no branch yet; push a commit to it`);
}
