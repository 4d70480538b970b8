import { Transform, type Readable } from "node:stream";

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

  /** The part of the chunk that is within the limit. */
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
  /** Appends a line to the program's output. */
  add(text: string): void;
  /** Call it once the program is gone. An escaped process may hold the pipe open forever, which is not waited for. */
  endWhenQuiet(): void;
}

const QUIET_MS = 500;

/** The output within the meter's limit; the rest is dropped. The program blocks while nothing reads. */
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
  // It outlives its source: the line to append may be known only when the program is gone.
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
      // A missing reader must not keep this process alive.
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
