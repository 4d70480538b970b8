import type { Credential } from "./credential.ts";
import { failureOf } from "./failure.ts";
import { networkGit } from "./network-git.ts";
import type { NetworkLimits } from "./network-git.ts";
import type { MirrorSource, Remote } from "./source.ts";

/** Runs a git that talks to the remote, and returns what it printed. Throws what `failureOf` makes of a failure. */
export type Converse = (directory: string, command: readonly string[]) => Promise<string>;

/**
 * The gits of one refresh. They share a credential; one that comes from a function is renewed once when the server
 * answers 401, since tokens expire, also between two gits.
 */
export function conversation(
  source: MirrorSource,
  remote: Remote,
  options: { limits: NetworkLimits; signal: AbortSignal | undefined },
): Converse {
  let credential: Credential | undefined;
  let renewed = false;
  return async (directory, command) => {
    credential ??= await credentialOf(source, "first");
    let result = await networkGit(directory, command, { remote, credential, ...options });
    if (result.http?.status === 401 && result.code !== 0 && typeof source.credential === "function" && !renewed) {
      renewed = true;
      credential = await credentialOf(source, "refused");
      result = await networkGit(directory, command, { remote, credential, ...options });
    }
    if (result.ended === "exit" && result.code === 0) return result.stdout;
    throw failureOf({ remote, credential: credential !== undefined, limits: options.limits }, result);
  };
}

async function credentialOf(source: MirrorSource, why: "first" | "refused"): Promise<Credential | undefined> {
  return typeof source.credential === "function" ? await source.credential(why) : source.credential;
}
