import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { RelayError } from "../../lib/errors.ts";
import { gitArguments, gitEnvironment } from "./git.ts";

export type Blob =
  | { kind: "blob"; content: Buffer }
  | { kind: "missing" }
  /** Larger than the limit; its content was passed over. */
  | { kind: "huge"; bytes: number };

interface Waiting {
  resolve(blob: Blob): void;
  reject(error: Error): void;
}

type Phase = { at: "header" } | { at: "content"; bytes: number } | { at: "skipping"; left: number; bytes: number };

const ANSWER_WITHIN_MS = 30_000;

/** Blobs of one repository by object name, through one `git cat-file --batch` that stays up. */
export class BlobReader {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #maxBytes: number;
  readonly #waiting: Waiting[] = [];
  #chunks: Buffer[] = [];
  #buffered = 0;
  #phase: Phase = { at: "header" };
  #failure: RelayError | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(gitDirectory: string, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#child = spawn("git", gitArguments(gitDirectory, ["cat-file", "--batch"]), {
      cwd: gitDirectory,
      env: gitEnvironment(),
    });
    this.#child.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.#child.stderr.resume();
    // The closing of the process tells what there is to tell.
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

  read(objectName: string): Promise<Blob> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (!/^[0-9a-f]{40,64}$/.test(objectName)) {
      return Promise.reject(
        new RelayError("internal", `${JSON.stringify(objectName)} is not the name of a git object`),
      );
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#child.stdin.write(`${objectName}\n`);
      this.#watch();
    });
  }

  close(): void {
    this.#fail(new RelayError("internal", "the repository was closed"));
    this.#child.stdin.end();
    this.#child.kill("SIGTERM");
  }

  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#waiting.length === 0) return;
    this.#timer = setTimeout(() => {
      this.#fail(new RelayError("timeout", `git did not answer within ${ANSWER_WITHIN_MS / 1000} s`));
      this.#child.kill("SIGKILL");
    }, ANSWER_WITHIN_MS);
  }

  #fail(error: RelayError): void {
    this.#failure ??= error;
    clearTimeout(this.#timer);
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#failure);
  }

  #answer(blob: Blob): void {
    this.#phase = { at: "header" };
    this.#waiting.shift()?.resolve(blob);
    this.#watch();
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    while (this.#step());
  }

  /** One step of the protocol; false when it needs more input first. */
  #step(): boolean {
    const phase = this.#phase;
    switch (phase.at) {
      case "header": {
        const all = this.#joined();
        const end = all.indexOf(10);
        if (end === -1) return false;
        const header = this.#take(end + 1).toString("latin1", 0, end);
        const size = /^[0-9a-f]+ [a-z]+ (\d+)$/.exec(header)?.[1];
        if (size === undefined) {
          this.#answer({ kind: "missing" });
          return true;
        }
        const bytes = Number(size);
        this.#phase = bytes > this.#maxBytes ? { at: "skipping", left: bytes + 1, bytes } : { at: "content", bytes };
        return true;
      }
      case "content": {
        if (this.#buffered < phase.bytes + 1) return false;
        this.#answer({ kind: "blob", content: this.#take(phase.bytes + 1).subarray(0, phase.bytes) });
        return true;
      }
      case "skipping": {
        if (this.#buffered === 0) return false;
        phase.left -= this.#take(Math.min(this.#buffered, phase.left)).length;
        if (phase.left === 0) this.#answer({ kind: "huge", bytes: phase.bytes });
        return true;
      }
      default:
        return phase satisfies never;
    }
  }

  #joined(): Buffer {
    const all = this.#chunks.length === 1 ? this.#chunks[0] : undefined;
    if (all) return all;
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }

  #take(bytes: number): Buffer {
    const all = this.#joined();
    const rest = all.subarray(bytes);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#buffered = rest.length;
    return all.subarray(0, bytes);
  }
}
