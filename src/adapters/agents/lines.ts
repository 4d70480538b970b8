import type { Readable } from "node:stream";

export interface OutputLine {
  text: string;
  /** False where the line was longer than what is kept of it. */
  whole: boolean;
}

/**
 * The lines of a stream, as many at a time as came together, in memory of at most `mostBytes` and a chunk, however long they are. A stream that breaks off
 * has ended: what the program came to is told by its exit.
 */
export async function* linesOf(stream: Readable, mostBytes: number): AsyncGenerator<OutputLine[], void> {
  let kept: Buffer[] = [];
  let length = 0;
  let whole = true;
  const keep = (part: Buffer) => {
    const room = part.subarray(0, mostBytes - length);
    whole &&= room.length === part.length;
    length += room.length;
    if (room.length > 0) kept.push(room);
  };
  const take = (): OutputLine => {
    const line = { text: Buffer.concat(kept).toString("utf8").replace(/\r$/, ""), whole };
    kept = [];
    length = 0;
    whole = true;
    return line;
  };
  try {
    for await (const chunk of stream) {
      const lines: OutputLine[] = [];
      let left = Buffer.from(chunk);
      for (let end = left.indexOf(10); end !== -1; end = left.indexOf(10)) {
        keep(left.subarray(0, end));
        left = left.subarray(end + 1);
        lines.push(take());
      }
      // A copy, so that a short rest does not hold its chunk.
      keep(Buffer.from(left));
      if (lines.length > 0) yield lines;
    }
  } catch {
    // Ended like one that closed: its pipe was taken away with its program.
  }
  if (length > 0) yield [take()];
}
