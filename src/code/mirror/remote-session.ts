import type { RelayError } from "../../lib/errors.ts";
import type { Credential } from "./credential.ts";
import { failureOf } from "./network-failure.ts";
import { networkGit } from "./network-git.ts";
import type { NetworkLimits, NetworkResult } from "./network-git.ts";
import type { MirrorSource, Remote } from "./remote.ts";

/** Runs a git that talks to the remote, and returns what it printed. Throws what `failureOf` makes of a failure. */
export type Converse = (directory: string, command: readonly string[]) => Promise<string>;

export interface TalkOptions {
  limits: NetworkLimits;
  signal: AbortSignal | undefined;
  /** Whether something is sent there; errors tell. */
  writes?: boolean;
}

/**
 * The gits of one refresh. They share a credential; one that comes from a function is renewed once when the server
 * answers 401, since tokens expire, also between two gits.
 */
export function conversation(source: MirrorSource, remote: Remote, options: TalkOptions): Converse {
  const talk = dialogue(source, remote, options);
  return async (directory, command) => {
    const { result, failure } = await talk(directory, command);
    if (failure === null) return result.stdout;
    throw failure;
  };
}

/** The same for a git whose failure may be an answer. */
export function dialogue(
  source: MirrorSource,
  remote: Remote,
  options: TalkOptions,
): (directory: string, command: readonly string[]) => Promise<{ result: NetworkResult; failure: RelayError | null }> {
  const { limits, signal, writes = false } = options;
  let credential: Credential | undefined;
  let renewed = false;
  return async (directory, command) => {
    credential ??= await credentialOf(source, "first");
    let result = await networkGit(directory, command, { remote, credential, limits, signal });
    if (result.http?.status === 401 && result.code !== 0 && typeof source.credential === "function" && !renewed) {
      renewed = true;
      credential = await credentialOf(source, "refused");
      result = await networkGit(directory, command, { remote, credential, limits, signal });
    }
    const fine = result.ended === "exit" && result.code === 0;
    const attempt = { remote, credential: credential !== undefined, limits, writes };
    return { result, failure: fine ? null : failureOf(attempt, result) };
  };
}

async function credentialOf(source: MirrorSource, why: "first" | "refused"): Promise<Credential | undefined> {
  return typeof source.credential === "function" ? await source.credential(why) : source.credential;
}
