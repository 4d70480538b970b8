import { RelayError } from "../../lib/errors.ts";
import type { Credential } from "./credential.ts";
import { type NetworkLimits, type NetworkResult, networkGit } from "./network-git.ts";
import type { MirrorSource, Remote } from "./remote.ts";

/** Runs one git command against the remote and returns its output. Throws the error that `failureOf` makes. */
export type RemoteGit = (directory: string, command: readonly string[]) => Promise<string>;

interface RemoteGitOptions {
  limits: NetworkLimits;
  signal: AbortSignal | undefined;
  /** Whether the command pushes; error messages say so. */
  writes?: boolean;
}

/**
 * Creates a runner for the git commands of one refresh, which share a credential. A credential from a function is
 * renewed once when the server answers 401, since tokens may expire between two commands.
 */
export function remoteGit(source: MirrorSource, remote: Remote, options: RemoteGitOptions): RemoteGit {
  const run = fallibleRemoteGit(source, remote, options);
  return async (directory, command) => {
    const { result, failure } = await run(directory, command);
    if (failure === null) return result.stdout;
    throw failure;
  };
}

/** The same, returning failures instead of throwing them. */
export function fallibleRemoteGit(
  source: MirrorSource,
  remote: Remote,
  options: RemoteGitOptions,
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
    const attempt = { remote, credential: credential !== undefined, limits, writes, needs: source.pushNeeds };
    return { result, failure: fine ? null : failureOf(attempt, result) };
  };
}

async function credentialOf(source: MirrorSource, why: "first" | "refused"): Promise<Credential | undefined> {
  return typeof source.credential === "function" ? await source.credential(why) : source.credential;
}

interface Attempt {
  remote: Remote;
  /** Whether a credential was available. */
  credential: boolean;
  limits: NetworkLimits;
  /** Whether the command pushed. */
  writes?: boolean;
  /** What pushing needs there, if that is known. */
  needs?: string | undefined;
}

/**
 * Classifies the failure of a remote git: by how it ended, then by the HTTP status, and by git's messages only if there
 * is no code. The locale is fixed, so the messages are in English.
 */
export function failureOf(attempt: Attempt, result: NetworkResult): RelayError {
  const { remote, limits } = attempt;
  const doing = attempt.writes ? "pushing to" : "fetching";
  switch (result.ended) {
    case "aborted":
      return new RelayError("unavailable", `${doing} ${remote.url} was stopped; it can be started again`);
    case "timeout": {
      const seconds = limits.overallMs / 1000;
      return new RelayError("timeout", `${doing} ${remote.url} took longer than ${seconds} s; try again later`);
    }
    case "overflow":
      return new RelayError("too_large", `${remote.url} lists more than 64 MiB of refs; delete old ones there`);
    case "exit":
      break;
    default:
      return result.ended satisfies never;
  }
  const complaint = complaintIn(result.stderr);
  if (/No space left on device|Disk quota exceeded/.test(result.stderr)) {
    return new RelayError("io", `the disk is full while ${doing} ${remote.url}; make room below RELAY_HOME`);
  }
  if (/is not a git command/.test(result.stderr)) {
    return new RelayError("config", `this git cannot talk over ${remote.protocol}; install the whole of git`);
  }
  if (/: fsck error in /.test(result.stderr)) {
    return new RelayError("invalid", `${remote.url} holds objects that git refuses (${complaint}); repair it there`);
  }
  return remote.protocol === "http" || remote.protocol === "https"
    ? httpFailure(attempt, result, complaint)
    : otherFailure(attempt, result, complaint);
}

function httpFailure(attempt: Attempt, result: NetworkResult, complaint: string): RelayError {
  const { remote, limits } = attempt;
  if (/Operation too slow|curl 28\b/.test(result.stderr)) {
    const seconds = limits.silentSeconds;
    return new RelayError("timeout", `${remote.url} sent nothing for ${seconds} s; try again later`);
  }
  if (result.http === undefined) {
    return new RelayError(
      "unavailable",
      `${remote.origin} cannot be reached (${complaint}); check the address and try again`,
    );
  }
  const { status, retryAfterMs } = result.http;
  const more = { status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  if (status === 401 || status === 403) {
    const needed = attempt.needs === undefined ? "" : `: its account needs ${attempt.needs}`;
    const may = attempt.writes ? `may write to the repository${needed}` : "may read the repository";
    const advice = attempt.credential
      ? `refused the credential; give one that ${may}`
      : `asks for a credential; configure a token that ${may}`;
    return new RelayError("forbidden", `${remote.url} ${advice} (HTTP ${status})`, { ...more, accessLost: true });
  }
  if (status === 404 || status === 410) {
    const advice = "check the address, and that the credential may see it";
    return new RelayError("not_found", `there is no repository at ${remote.url} (HTTP ${status}); ${advice}`, more);
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
      `${remote.url} answered with HTTP ${status} (${complaint}); check the address`,
      more,
    );
  }
  return new RelayError("unavailable", `${remote.url} broke off in the middle (${complaint}); try again`);
}

function otherFailure(attempt: Attempt, result: NetworkResult, complaint: string): RelayError {
  const { remote } = attempt;
  if (/Host key verification failed/.test(result.stderr)) {
    return new RelayError("forbidden", `the key of ${remote.origin} is not known; add it to known_hosts`);
  }
  if (/Permission denied/.test(result.stderr)) {
    return new RelayError("forbidden", `${remote.url} refused (${complaint}); give Relay's account access to it`);
  }
  if (/not found|does not exist|does not appear to be a git repository|not a git repository/i.test(result.stderr)) {
    return new RelayError("not_found", `there is no repository at ${remote.url}; check the address`);
  }
  return new RelayError(
    "unavailable",
    `${remote.url} cannot be ${attempt.writes ? "written to" : "read"} (${complaint}); check the address and try again`,
  );
}

/** The most informative line of stderr. Messages of the server itself (`remote:`) are never shown. */
function complaintIn(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line !== "" && !line.startsWith("remote:"));
  const line = lines.find((one) => /^(?:fatal|error): /.test(one)) ?? lines.at(-1) ?? "git said nothing";
  return line.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 200);
}
