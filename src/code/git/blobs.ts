import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { RelayError } from "../../lib/errors.ts";
import { gitArguments, gitEnvironment } from "./git.ts";

export type Blob =
  | { kind: "blob"; content: Buffer }
  | { kind: "missing" }
  /** Over the size limit; its content was skipped. */
  | { kind: "huge"; bytes: number };

interface Request {
  resolve(blob: Blob): void;
  reject(error: Error): void;
}

const ANSWER_TIMEOUT_MS = 30_000;
const SILENCE_TIMEOUT_MS = 60_000;
const NEWLINE = 10;
/** A line break would start another request, and git exits on a path that is relative to a folder. */
const CANNOT_ASK = /\n|:\.{1,2}(?:\/|$)/;

/**
 * Reads single blobs of one repository, by object name or by commit and path, through one long-running `git cat-file
 * --batch`.
 */
export class BlobReader {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #requests: Request[] = [];
  #failure: RelayError | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(gitDirectory: string, maxBytes: number) {
    this.#child = spawn("git", gitArguments(gitDirectory, ["cat-file", "--batch"]), {
      cwd: gitDirectory,
      env: gitEnvironment(),
    });
    const parser = new BatchParser(maxBytes, (blob) => {
      this.#requests.shift()?.resolve(blob);
      this.#restartTimer();
    });
    this.#child.stdout.on("data", (chunk: Buffer) => parser.receive(chunk));
    this.#child.stderr.resume();
    // `close` reports the failure.
    this.#child.stdin.on("error", () => {});
    this.#child.on("error", (cause) => {
      this.#fail(new RelayError("config", `cannot run git: ${cause.message}`, { cause }));
    });
    this.#child.on("close", () => {
      this.#fail(new RelayError("unavailable", `git stopped reading objects of ${gitDirectory}`));
    });
  }

  /** False once the process is gone; every later read fails. */
  get alive(): boolean {
    return this.#failure === undefined;
  }

  /** Reads an object by name, or `COMMIT:PATH`; anything that is not a file counts as missing. */
  read(objectName: string): Promise<Blob> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (!/^[0-9a-f]{40,64}(?::|$)/.test(objectName)) {
      return Promise.reject(
        new RelayError("internal", `${JSON.stringify(objectName)} is not the name of a git object`),
      );
    }
    if (CANNOT_ASK.test(objectName)) return Promise.resolve({ kind: "missing" });
    return new Promise((resolve, reject) => {
      this.#requests.push({ resolve, reject });
      this.#child.stdin.write(`${objectName}\n`);
      this.#restartTimer();
    });
  }

  close(): void {
    this.#fail(new RelayError("internal", "the repository was closed"));
    this.#child.stdin.end();
    this.#child.kill("SIGTERM");
  }

  #restartTimer(): void {
    clearTimeout(this.#timer);
    if (this.#requests.length === 0) return;
    this.#timer = setTimeout(() => {
      this.#fail(new RelayError("timeout", `git did not answer within ${ANSWER_TIMEOUT_MS / 1000} s`));
      this.#child.kill("SIGKILL");
    }, ANSWER_TIMEOUT_MS);
  }

  #fail(error: RelayError): void {
    this.#failure ??= error;
    clearTimeout(this.#timer);
    for (const request of this.#requests.splice(0)) request.reject(this.#failure);
  }
}

/**
 * Reads many blobs in the given order through one git, which runs ahead while each blob is processed. Throws
 * `RelayError` `io` when git ends early and `timeout` when it goes silent; rejects with the signal's reason, once git
 * has ended, when the signal is aborted.
 */
export function readBlobs(
  gitDirectory: string,
  names: readonly string[],
  maxBytes: number,
  each: (blob: Blob, position: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  if (names.length === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const child = spawn("git", gitArguments(gitDirectory, ["cat-file", "--batch", "--buffer"]), {
      cwd: gitDirectory,
      env: gitEnvironment(),
      stdio: ["pipe", "pipe", "ignore"],
    });
    let done = 0;
    let failure: unknown;
    const stop = (reason: unknown) => {
      failure ??= reason;
      child.kill("SIGKILL");
    };
    const abort = () => stop(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    const timer = setTimeout(() => {
      stop(new RelayError("timeout", `git read nothing of ${gitDirectory} for ${SILENCE_TIMEOUT_MS / 1000} s`));
    }, SILENCE_TIMEOUT_MS);
    const parser = new BatchParser(maxBytes, (blob) => {
      each(blob, done);
      done += 1;
    });
    child.stdout.on("data", (chunk: Buffer) => {
      if (failure !== undefined) return;
      timer.refresh();
      try {
        parser.receive(chunk);
      } catch (error) {
        stop(error);
      }
    });
    child.on("error", (cause) => {
      failure ??= new RelayError("config", `cannot run git: ${cause.message}`, { cause });
    });
    // `close` reports the failure.
    child.stdin.on("error", () => {});
    child.on("close", () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      if (failure === undefined && done < names.length) {
        failure = new RelayError("io", `git stopped reading objects of ${gitDirectory} after ${done}`);
      }
      if (failure === undefined) resolve();
      else reject(failure);
    });
    child.stdin.end(`${names.join("\n")}\n`);
  });
}

/** Parses the output of `cat-file --batch`: for each object a header line, that many bytes, and a line break. */
class BatchParser {
  readonly #each: (blob: Blob) => void;
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #buffered = 0;
  /** Bytes to wait for before parsing again; spares copying the buffer for each chunk of a large blob. */
  #needed = 1;
  /** Bytes of a huge blob that are still to be skipped. */
  #skip = 0;

  constructor(maxBytes: number, each: (blob: Blob) => void) {
    this.#maxBytes = maxBytes;
    this.#each = each;
  }

  receive(chunk: Buffer): void {
    const skipped = Math.min(this.#skip, chunk.length);
    this.#skip -= skipped;
    if (skipped === chunk.length) return;
    this.#chunks.push(chunk.subarray(skipped));
    this.#buffered += chunk.length - skipped;
    if (this.#buffered < this.#needed) return;
    const all = this.#chunks.length === 1 ? (this.#chunks[0] ?? chunk) : Buffer.concat(this.#chunks);
    this.#needed = 1;
    const rest = all.subarray(this.#parse(all));
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#buffered = rest.length;
  }

  /** Emits every complete blob and returns the offset behind the last one. A huge blob is emitted before its end. */
  #parse(all: Buffer): number {
    let at = 0;
    while (at < all.length) {
      const newline = all.indexOf(NEWLINE, at);
      if (newline === -1) return at;
      const [, type, size] = /^[0-9a-f]+ ([a-z]+) (\d+)$/.exec(all.toString("latin1", at, newline)) ?? [];
      if (size === undefined) {
        this.#each({ kind: "missing" });
        at = newline + 1;
        continue;
      }
      const bytes = Number(size);
      const end = newline + 1 + bytes;
      if (type !== "blob" || bytes > this.#maxBytes) {
        this.#each(type === "blob" ? { kind: "huge", bytes } : { kind: "missing" });
        this.#skip = Math.max(0, end + 1 - all.length);
        at = Math.min(end + 1, all.length);
        continue;
      }
      if (end + 1 > all.length) {
        this.#needed = end + 1 - at;
        return at;
      }
      this.#each({ kind: "blob", content: all.subarray(newline + 1, end) });
      at = end + 1;
    }
    return at;
  }
}
