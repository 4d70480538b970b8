import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { RelayError } from "../../lib/errors.ts";
import type { Credential } from "./credential.ts";
import { CREDENTIAL_DESCRIPTOR, credentialLines, credentialSettings, scrubbed } from "./credential.ts";
import type { Remote } from "./remote.ts";
import { devNull } from "node:os";
import { environmentWith } from "../../lib/exec.ts";

export interface NetworkLimits {
  /** Milliseconds for one git, however well it goes on. */
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
  ended: "exit" | "overtime" | "aborted" | "flooded";
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
 * Runs one git that talks to a remote, in a git directory. A non-zero exit, the end of time and an abort are results.
 * Throws `RelayError` `config` when git cannot be started.
 *
 * It leads a process group, so that its transport, which knows the credential, ends with it. Where Relay itself is
 * killed, the next report of progress meets a closed pipe and ends git.
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
    const timer = setTimeout(() => end("overtime"), limits.overallMs);
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort();

    const stdout: Buffer[] = [];
    let size = 0;
    child.stdout?.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > STDOUT_LIMIT) end("flooded");
      else stdout.push(chunk);
    });
    let stderr = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      stderr = lastLines(stderr + chunk.toString("latin1"));
    });
    const pipe = child.stdio[CREDENTIAL_DESCRIPTOR];
    if (pipe instanceof Writable) {
      // Nobody reads it where the server asks for nothing.
      pipe.on("error", () => {});
      pipe.end(secret ?? "");
    }
    const trace = new HttpTrace();
    const traced = child.stdio[TRACE_DESCRIPTOR];
    if (traced instanceof Readable) traced.on("data", (chunk: Buffer) => trace.add(chunk.toString("latin1")));

    const over = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    child.on("error", (cause) => {
      over();
      reject(new RelayError("config", `cannot run git: ${cause.message}; install it`, { cause }));
    });
    child.on("close", (code) => {
      over();
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
 * The last whole lines. Progress is written over itself, with a carriage return at the end; and half a line could
 * hold half a secret, which nobody would know for one.
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
    // It has ended by itself.
  }
}

/** What of the environment a git that fetches gets to see. Relay's own secrets and every `GIT_…` that redirects are not. */
const INHERITED: readonly string[] = [
  "PATH",
  "TMPDIR",
  // Ways through a company's network that the operator set up for the machine.
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
/** ssh finds its keys by these. For http they would lead to the operator's ~/.netrc. */
const INHERITED_FOR_SSH: readonly string[] = ["HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK"];

/** Never asks, gives up on a dead connection after 60 s, and opens nothing that the host could use. */
const SSH_COMMAND = [
  "ssh -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=15 -o ServerAliveCountMax=4",
  "-o ForwardAgent=no -o ForwardX11=no -o ClearAllForwardings=yes -o PermitLocalCommand=no",
].join(" ");

/** Defects that old, honest repositories are full of and that harm nobody; every other one refuses the pack. */
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

/** Settings on the command line come after, and so before, those of the mirror. */
export function networkSettings(remote: Remote, limits: NetworkLimits): string[] {
  return [
    ...credentialSettings(remote.origin),
    // http is not allowed beside https: a redirect would lead into the clear.
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
    // Every object comes in a pack, so that the list of packs tells whether all are still there.
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

/** The whole environment of a git that fetches. */
export function networkEnvironment(remote: Remote): Record<string, string> {
  const names = new Set([...INHERITED, ...(remote.protocol === "ssh" ? INHERITED_FOR_SSH : [])]);
  const inherited = Object.entries(environmentWith({})).flatMap(([name, value]) =>
    value !== undefined && names.has(name) ? [[name, value]] : [],
  );
  return {
    HOME: devNull,
    ...Object.fromEntries(inherited),
    LC_ALL: "C",
    // The machine's and the user's settings could rewrite addresses, or store the credential.
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

/** The file descriptor on which git's transport writes the heads of what it receives. */
const TRACE_DESCRIPTOR = 4;

interface HttpAnswer {
  status: number;
  /** Milliseconds that the server asked to wait. */
  retryAfterMs?: number;
}

const LINE_LIMIT = 8_192;
const RECEIVED = /^\S+ \S+\.c:\d+\s+<= recv header: (.*)$/i;

/**
 * Reads `GIT_TRACE_CURL` for the status of the last answer: git's exit code is always 128, and its messages are prose.
 * Everything else in the trace is dropped at once.
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
