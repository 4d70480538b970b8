import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { RelayError } from "../../lib/errors.ts";
import { type Credential, CREDENTIAL_DESCRIPTOR, credentialLines, credentialSettings, scrubbed } from "./credential.ts";
import type { Remote } from "./remote.ts";
import { devNull } from "node:os";
import { environmentWith } from "../../lib/exec.ts";

export interface NetworkLimits {
  /** Milliseconds for one git command, even while it makes progress. */
  overallMs: number;
  /** Seconds without a byte from the server. */
  silentSeconds: number;
}

export interface NetworkRun {
  remote: Remote;
  credential: Credential | undefined;
  limits: NetworkLimits;
  signal: AbortSignal | undefined;
}

export interface NetworkResult {
  ended: "exit" | "timeout" | "aborted" | "overflow";
  code: number | null;
  stdout: string;
  /** The last lines, without progress and without secrets. */
  stderr: string;
  /** The last answer of an HTTP server, if there was one. */
  http: HttpAnswer | undefined;
}

const STDOUT_LIMIT = 64 * 1024 * 1024;
const STDERR_LIMIT = 16 * 1024;

/**
 * Runs one git command that talks to a remote, in a git directory. A non-zero exit, a timeout and an abort are results.
 * Throws `RelayError` `config` when git cannot be started.
 *
 * Git leads a process group, so that its transport, which knows the credential, is killed with it. When Relay itself is
 * killed, git ends at its next progress report, which meets a closed pipe.
 */
export function networkGit(directory: string, command: readonly string[], run: NetworkRun): Promise<NetworkResult> {
  const { remote, credential, limits, signal } = run;
  const secret = credential && credentialLines(credential);
  const flags = ["--no-pager", ...networkSettings(remote, limits).flatMap((setting) => ["-c", setting])];
  return new Promise((resolve, reject) => {
    const child = spawn("git", [...flags, `--git-dir=${directory}`, ...command], {
      cwd: directory,
      env: networkEnvironment(remote),
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
    });
    let ended: NetworkResult["ended"] = "exit";
    const end = (why: NetworkResult["ended"]): void => {
      if (ended === "exit") ended = why;
      killGroup(child.pid);
    };
    const abort = (): void => end("aborted");
    const timer = setTimeout(() => end("timeout"), limits.overallMs);
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort();

    const stdout: Buffer[] = [];
    let size = 0;
    child.stdout?.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > STDOUT_LIMIT) end("overflow");
      else stdout.push(chunk);
    });
    let stderr = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      stderr = lastLines(stderr + chunk.toString("latin1"));
    });
    const pipe = child.stdio[CREDENTIAL_DESCRIPTOR];
    if (pipe instanceof Writable) {
      // Git never reads it when the server asks for no credential.
      pipe.on("error", () => {});
      pipe.end(secret ?? "");
    }
    const trace = new HttpTrace();
    const traced = child.stdio[TRACE_DESCRIPTOR];
    if (traced instanceof Readable) traced.on("data", (chunk: Buffer) => trace.add(chunk.toString("latin1")));

    const cleanUp = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    child.on("error", (cause) => {
      cleanUp();
      reject(new RelayError("config", `cannot run git: ${cause.message}; install it`, { cause }));
    });
    child.on("close", (code) => {
      cleanUp();
      const text = Buffer.from(stderr, "latin1").toString("utf8");
      resolve({
        ended,
        code,
        stdout: Buffer.concat(stdout).toString("utf8"),
        stderr: scrubbed(text, credential),
        http: trace.last,
      });
    });
  });
}

/**
 * The last complete lines. Drops progress, which ends in a carriage return, and a partial first line, which could hold
 * part of a secret that the scrubbing would not recognize.
 */
function lastLines(text: string): string {
  const kept = text
    .split("\n")
    .map((line) => line.slice(line.lastIndexOf("\r") + 1))
    .join("\n");
  if (kept.length <= STDERR_LIMIT) return kept;
  const tail = kept.slice(-STDERR_LIMIT);
  const start = tail.indexOf("\n");
  return start === -1 ? "" : tail.slice(start + 1);
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has already exited.
  }
}

/** Environment variables that git inherits: none of Relay's secrets, and no `GIT_…` that redirects it. */
const INHERITED: readonly string[] = [
  "PATH",
  "TMPDIR",
  // The operator's proxies and certificates.
  "http_proxy",
  "https_proxy",
  "HTTPS_PROXY",
  "all_proxy",
  "ALL_PROXY",
  "no_proxy",
  "NO_PROXY",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
];
/** ssh finds its keys through these. For http they would expose the operator's ~/.netrc. */
const INHERITED_FOR_SSH: readonly string[] = ["HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK"];

/** Never prompts, drops a dead connection after 60 s, and forwards nothing that the host could use. */
const SSH_COMMAND = [
  "ssh -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=15 -o ServerAliveCountMax=4",
  "-o ForwardAgent=no -o ForwardX11=no -o ClearAllForwardings=yes -o PermitLocalCommand=no",
].join(" ");

/** Harmless defects that are common in old repositories; any other defect rejects the pack. */
const HARMLESS_DEFECTS = [
  "zeroPaddedFilemode",
  "zeroPaddedDate",
  "badTimezone",
  "badDate",
  "badDateOverflow",
  "multipleAuthors",
  "missingEmail",
  "badEmail",
  "missingNameBeforeEmail",
  "badName",
  "missingSpaceBeforeEmail",
  "missingSpaceBeforeDate",
] as const;

/** Settings for the command line, which override those of the mirror. */
export function networkSettings(remote: Remote, limits: NetworkLimits): string[] {
  return [
    ...credentialSettings(remote.origin),
    // Only the one protocol: https must not be redirected to http.
    "protocol.allow=never",
    `protocol.${remote.protocol}.allow=always`,
    "protocol.version=2",
    "core.askPass=",
    "core.fsmonitor=false",
    `core.hooksPath=${devNull}`,
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "fetch.fsckObjects=true",
    ...HARMLESS_DEFECTS.map((defect) => `fetch.fsck.${defect}=ignore`),
    // Objects always come in packs, so that the list of packs shows whether any are lost.
    "fetch.unpackLimit=1",
    "fetch.writeCommitGraph=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "http.followRedirects=initial",
    "http.sslVerify=true",
    "http.lowSpeedLimit=1",
    `http.lowSpeedTime=${limits.silentSeconds}`,
    ...(remote.protocol === "http" && remote.local ? ["http.proxy="] : []),
  ];
}

/** The complete environment of a git that talks to a remote. */
export function networkEnvironment(remote: Remote): Record<string, string> {
  const names = new Set([...INHERITED, ...(remote.protocol === "ssh" ? INHERITED_FOR_SSH : [])]);
  const inherited = Object.entries(environmentWith({})).flatMap(([name, value]) =>
    value !== undefined && names.has(name) ? [[name, value]] : [],
  );
  return {
    HOME: devNull,
    ...Object.fromEntries(inherited),
    LC_ALL: "C",
    // Settings of the machine or the user could rewrite addresses or store the credential.
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_SSH_COMMAND: SSH_COMMAND,
    GIT_TRACE_CURL: String(TRACE_DESCRIPTOR),
    GIT_TRACE_CURL_NO_DATA: "1",
  };
}

/** The file descriptor on which git's transport traces the headers that it receives. */
const TRACE_DESCRIPTOR = 4;

interface HttpAnswer {
  status: number;
  /** From `Retry-After`. */
  retryAfterMs?: number;
}

const LINE_LIMIT = 8_192;
const RECEIVED = /^\S+ \S+\.c:\d+\s+<= recv header: (.*)$/i;

/**
 * Extracts the last HTTP status from `GIT_TRACE_CURL`, since git's exit code is always 128 and its messages are prose.
 * Drops everything else in the trace.
 */
export class HttpTrace {
  #rest = "";
  #last: HttpAnswer | undefined;

  get last(): HttpAnswer | undefined {
    return this.#last;
  }

  add(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = (lines.pop() ?? "").slice(0, LINE_LIMIT);
    for (const line of lines) {
      const header = RECEIVED.exec(line.slice(0, LINE_LIMIT).trimEnd())?.[1];
      if (header !== undefined) this.#header(header);
    }
  }

  #header(header: string): void {
    const status = /^HTTP\/[0-9.]+ ([0-9]{3})\b/.exec(header)?.[1];
    if (status !== undefined) {
      this.#last = { status: Number(status) };
      return;
    }
    const seconds = /^retry-after: *([0-9]{1,6})$/i.exec(header)?.[1];
    if (seconds !== undefined && this.#last) this.#last.retryAfterMs = Number(seconds) * 1000;
  }
}
