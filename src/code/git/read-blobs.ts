import { spawn } from "node:child_process";
import { RelayError } from "../../lib/errors.ts";
import { gitArguments, gitEnvironment } from "./git.ts";

/** What git answers for one name. */
export interface ReadBlob {
  /** `null` where the clone does not hold it, or it is larger than allowed. */
  content: Buffer | null;
  /** `null` where the clone does not hold it. */
  bytes: number | null;
}

export type EachBlob = (blob: ReadBlob, position: number) => void;

const SILENCE_MS = 60_000;

/**
 * Reads many blobs in the order asked, through one git that runs ahead while each is looked at.
 * Throws `RelayError` `io` when git ends early and `timeout` when it falls silent.
 */
export function readBlobs(
  gitDirectory: string,
  names: readonly string[],
  maxBytes: number,
  each: EachBlob,
): Promise<void> {
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
    const watch = setTimeout(() => {
      stop(new RelayError("timeout", `git read nothing of ${gitDirectory} for ${SILENCE_MS / 1000} s`));
    }, SILENCE_MS);
    const answers = new Answers(maxBytes, (blob) => {
      each(blob, done);
      done += 1;
    });
    child.stdout.on("data", (chunk: Buffer) => {
      watch.refresh();
      try {
        answers.receive(chunk);
      } catch (error) {
        stop(error);
      }
    });
    child.on("error", (cause) => {
      failure ??= new RelayError("config", `cannot run git: ${cause.message}`, { cause });
    });
    // The closing of the process tells what there is to tell.
    child.stdin.on("error", () => {});
    child.on("close", () => {
      clearTimeout(watch);
      if (failure === undefined && done < names.length) {
        failure = new RelayError("io", `git stopped reading objects of ${gitDirectory} after ${done}`);
      }
      if (failure === undefined) resolve();
      else reject(failure);
    });
    child.stdin.end(`${names.join("\n")}\n`);
  });
}

const NEWLINE = 10;

/** Takes the stream of `cat-file --batch` apart: a header line, then as many bytes as it says and a newline. */
class Answers {
  readonly #each: (blob: ReadBlob) => void;
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #held = 0;
  /** Bytes that must be there before looking again is worth it. */
  #wanted = 1;
  /** Bytes of a blob that is too large, still to be passed over. */
  #passing = 0;

  constructor(maxBytes: number, each: (blob: ReadBlob) => void) {
    this.#maxBytes = maxBytes;
    this.#each = each;
  }

  receive(chunk: Buffer): void {
    const passed = Math.min(this.#passing, chunk.length);
    this.#passing -= passed;
    if (passed === chunk.length) return;
    this.#chunks.push(chunk.subarray(passed));
    this.#held += chunk.length - passed;
    if (this.#held < this.#wanted) return;
    const all = this.#chunks.length === 1 ? (this.#chunks[0] ?? chunk) : Buffer.concat(this.#chunks);
    this.#wanted = 1;
    const rest = all.subarray(this.#read(all));
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#held = rest.length;
  }

  /** Hands on what is there whole; answers up to where that goes. */
  #read(all: Buffer): number {
    let at = 0;
    while (at < all.length) {
      const newline = all.indexOf(NEWLINE, at);
      if (newline === -1) return at;
      const size = sizeIn(all.toString("latin1", at, newline));
      if (size === null) {
        this.#each({ content: null, bytes: null });
        at = newline + 1;
        continue;
      }
      const end = newline + 1 + size;
      if (size > this.#maxBytes) {
        this.#each({ content: null, bytes: size });
        this.#passing = Math.max(0, end + 1 - all.length);
        at = Math.min(end + 1, all.length);
        continue;
      }
      if (end + 1 > all.length) {
        this.#wanted = end + 1 - at;
        return at;
      }
      this.#each({ content: all.subarray(newline + 1, end), bytes: size });
      at = end + 1;
    }
    return at;
  }
}

/** The size that a header tells; `null` where there is no such object. */
function sizeIn(header: string): number | null {
  const size = /^[0-9a-f]+ [a-z]+ (\d+)$/.exec(header)?.[1];
  return size === undefined ? null : Number(size);
}
