import { RelayError } from "../../lib/errors.ts";
import type { Credential } from "./credential.ts";
import type { NetworkLimits, NetworkResult } from "./network-git.ts";
import { networkGit } from "./network-git.ts";
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

interface Attempt {
  remote: Remote;
  /** Whether a credential was at hand. */
  credential: boolean;
  limits: NetworkLimits;
  /** Whether something was sent there, and not fetched. */
  writes?: boolean;
}

/**
 * What the failure of a git that talked to a remote means: by how it ended, then by the status that the server sent,
 * and by git's own words only for what has no code. They are git's own because its locale is fixed.
 */
export function failureOf(attempt: Attempt, result: NetworkResult): RelayError {
  const { remote, limits } = attempt;
  const doing = attempt.writes ? "pushing to" : "fetching";
  switch (result.ended) {
    case "aborted":
      return new RelayError("unavailable", `${doing} ${remote.url} was stopped; it can be started again`);
    case "overtime": {
      const seconds = limits.overallMs / 1000;
      return new RelayError("timeout", `${doing} ${remote.url} took longer than ${seconds} s; try again later`);
    }
    case "flooded":
      return new RelayError("too_large", `${remote.url} lists more than 64 MiB of refs; delete old ones there`);
    case "exit":
      break;
    default:
      return result.ended satisfies never;
  }
  const said = lastWords(result.stderr);
  if (/No space left on device|Disk quota exceeded/.test(result.stderr)) {
    return new RelayError("io", `the disk is full while ${doing} ${remote.url}; make room below RELAY_HOME`);
  }
  if (/is not a git command/.test(result.stderr)) {
    return new RelayError("config", `this git cannot talk over ${remote.protocol}; install the whole of git`);
  }
  if (/: fsck error in /.test(result.stderr)) {
    return new RelayError("invalid", `${remote.url} holds objects that git refuses (${said}); repair it there`);
  }
  return remote.protocol === "http" || remote.protocol === "https"
    ? overHttp(attempt, result, said)
    : elsewhere(attempt, result, said);
}

function overHttp(attempt: Attempt, result: NetworkResult, said: string): RelayError {
  const { remote, limits } = attempt;
  if (/Operation too slow|curl 28\b/.test(result.stderr)) {
    const seconds = limits.silentSeconds;
    return new RelayError("timeout", `${remote.url} sent nothing for ${seconds} s; try again later`);
  }
  if (result.http === undefined) {
    return new RelayError(
      "unavailable",
      `${remote.origin} cannot be reached (${said}); check the address and try again`,
    );
  }
  const { status, retryAfterMs } = result.http;
  const more = { status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  if (status === 401 || status === 403) {
    const may = attempt.writes ? "may write to the repository" : "may read the repository";
    const mend = attempt.credential
      ? `refused the credential; give one that ${may}`
      : `asks for a credential; configure a token that ${may}`;
    return new RelayError("forbidden", `${remote.url} ${mend} (HTTP ${status})`, more);
  }
  if (status === 404 || status === 410) {
    const mend = "check the address, and that the credential may see it";
    return new RelayError("not_found", `there is no repository at ${remote.url} (HTTP ${status}); ${mend}`, more);
  }
  if (status === 429) {
    return new RelayError("rate_limited", `${remote.origin} asks to come back later (HTTP 429)`, more);
  }
  if (status >= 500) {
    return new RelayError("unavailable", `${remote.url} answered with HTTP ${status}; try again later`, more);
  }
  if (status >= 300) {
    return new RelayError(
      "unavailable",
      `${remote.url} answered with HTTP ${status} (${said}); check the address`,
      more,
    );
  }
  return new RelayError("unavailable", `${remote.url} broke off in the middle (${said}); try again`);
}

function elsewhere(attempt: Attempt, result: NetworkResult, said: string): RelayError {
  const { remote } = attempt;
  if (/Host key verification failed/.test(result.stderr)) {
    return new RelayError("forbidden", `the key of ${remote.origin} is not known; add it to known_hosts`);
  }
  if (/Permission denied/.test(result.stderr)) {
    return new RelayError("forbidden", `${remote.url} refused (${said}); give Relay's account access to it`);
  }
  if (/not found|does not exist|does not appear to be a git repository|not a git repository/i.test(result.stderr)) {
    return new RelayError("not_found", `there is no repository at ${remote.url}; check the address`);
  }
  return new RelayError(
    "unavailable",
    `${remote.url} cannot be ${attempt.writes ? "written to" : "read"} (${said}); check the address and try again`,
  );
}

/** The line that tells most; what the server itself said is its own affair, and never shown. */
function lastWords(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line !== "" && !line.startsWith("remote:"));
  const line = lines.find((one) => /^(?:fatal|error): /.test(one)) ?? lines.at(-1) ?? "git said nothing";
  return line.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 200);
}
