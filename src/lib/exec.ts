import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { RelayError, systemCode } from "./errors.ts";

export interface ExecOptions {
  cwd?: string;
  input?: string | Buffer;
  env?: Record<string, string | undefined>;
  /** Timeout in milliseconds, after which the process is killed. Default 60,000. */
  timeoutMs?: number;
  /** Limit of stdout in bytes; more kills the process. Default 64 MiB. */
  maxBytes?: number;
  /** Run as this user (root only). */
  uid?: number;
  gid?: number;
  /** Ends the program, and rejects. */
  signal?: AbortSignal | undefined;
}

export interface ExecResult {
  /** Exit code; `null` when the process was ended by a signal. */
  code: number | null;
  stdout: Buffer;
  stderr: string;
  /** True if `maxBytes` cut the output short. */
  truncated: boolean;
}

const STDERR_LIMIT = 64 * 1024;

/** The inherited environment with some variables set, or removed where `undefined`. */
export function environmentWith(changes: Record<string, string | undefined>): Record<string, string | undefined> {
  return { ...process.env, ...changes };
}

/**
 * Runs a program without a shell and waits for it. A non-zero exit is a result, not an error.
 * Throws `RelayError` `config` when the program cannot be started and `timeout` when it took too long.
 */
export function exec(program: string, args: readonly string[], options: ExecOptions = {}): Promise<ExecResult> {
  const timeoutMs = options.timeoutMs ?? 60_000;
  const maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ["pipe", "pipe", "pipe"],
      ...(options.uid === undefined ? {} : { uid: options.uid }),
      ...(options.gid === undefined ? {} : { gid: options.gid }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let stderr = "";
    let truncated = false;
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill("SIGKILL");
    }, timeoutMs);

    child.stdout.on("data", (chunk: Buffer) => {
      if (truncated) return;
      size += chunk.length;
      if (size > maxBytes) {
        truncated = true;
        chunks.push(chunk.subarray(0, chunk.length - (size - maxBytes)));
        child.kill("SIGKILL");
        return;
      }
      chunks.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (stderr.length < STDERR_LIMIT) stderr += chunk.toString("utf8");
    });
    child.on("error", (cause) => {
      clearTimeout(timer);
      reject(new RelayError("config", `cannot run ${program}: ${whyNotRun(cause, options.cwd)}`, { cause }));
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      if (timedOut) {
        reject(new RelayError("timeout", `${program} ${args[0] ?? ""} took longer than ${timeoutMs / 1000} s`));
        return;
      }
      resolve({ code: truncated ? 0 : code, stdout: Buffer.concat(chunks), stderr, truncated });
    });
    // A program that never reads its input closes the pipe; its exit code is what counts.
    child.stdin.on("error", () => {});
    child.stdin.end(options.input);
  });
}

/** The system reports a missing program and a missing folder alike. */
function whyNotRun(cause: Error, cwd: string | undefined): string {
  if (systemCode(cause) !== "ENOENT") return cause.message;
  if (cwd !== undefined && !existsSync(cwd)) return `the folder ${cwd} is gone`;
  return "it is not on the PATH; install it, or put its folder there";
}
