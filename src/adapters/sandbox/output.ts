import { Transform } from "node:stream";
import type { Readable } from "node:stream";

/** Counts the bytes of a program's outputs together. */
export class OutputMeter {
  readonly #most: number;
  readonly #onFlood: () => void;
  #bytes = 0;

  /** `onFlood` runs with the first byte over `most`. */
  constructor(most: number, onFlood: () => void) {
    this.#most = most;
    this.#onFlood = onFlood;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** What of the chunk is within the bound. */
  take(chunk: Buffer): Buffer {
    const room = Math.max(0, this.#most - this.#bytes);
    this.#bytes += chunk.length;
    if (chunk.length <= room) return chunk;
    this.#onFlood();
    return chunk.subarray(0, room);
  }
}

export interface MeteredOutput {
  stream: Readable;
  /** Says something behind all that the program has said. */
  add(text: string): void;
  /** Once the program is gone: a process that escaped may hold the pipe open for ever, which is not waited for. */
  endWhenQuiet(): void;
}

const QUIET_MS = 500;

/** The output within the meter's bound; what is over it is dropped. The program waits where nobody reads. */
export function metered(source: Readable, meter: OutputMeter): MeteredOutput {
  let last = "";
  const stream = new Transform({
    transform(chunk: Buffer, encoding, done) {
      const kept = meter.take(chunk);
      done(null, kept.length === 0 ? undefined : kept);
    },
    flush(done) {
      done(null, last === "" ? undefined : last);
    },
  });
  source.on("error", () => {});
  // It does not end with its source: what is to be said behind that may be known only when the program is gone.
  source.pipe(stream, { end: false });
  return {
    stream,
    add: (text) => {
      last += text;
    },
    endWhenQuiet: () => {
      let seen = meter.bytes;
      const look = setInterval(() => {
        const quiet = meter.bytes === seen && !stream.writableNeedDrain;
        seen = meter.bytes;
        if (quiet) source.destroy();
      }, QUIET_MS);
      // A reader who never comes is no reason to stay.
      look.unref();
      const end = () => {
        clearInterval(look);
        stream.end();
      };
      if (source.closed) end();
      else source.once("close", end);
    },
  };
}
