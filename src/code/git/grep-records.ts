/** A matching line. */
export interface FoundLine {
  path: string;
  /** From 1. */
  line: number;
  /** The line; of a very long one, the text around the match. */
  text: string;
  /** Offset of the first match in `text`, in UTF-16 units. */
  at: number;
  /** Whether the line continues before `text`. */
  cutBefore: boolean;
  /** Whether the line continues after `text`. */
  cutAfter: boolean;
}

/** Bytes around the start of a match that are kept. */
const AROUND = 8 * 1024;

/** Parses `commit:path NUL line NUL column NUL text NL` records from a stream, with lines of any length. */
export class LineRecords {
  readonly #prefix: number;
  #header: Buffer = Buffer.alloc(0);
  #text: Buffer[] = [];
  /** Bytes of the line seen so far; -1 while the header is read. */
  #seen = -1;
  #path = "";
  #line = 0;
  #match = 0;

  /** `prefix` bytes precede each path. */
  constructor(prefix: number) {
    this.#prefix = prefix;
  }

  *add(chunk: Buffer): Generator<FoundLine, void> {
    let left = chunk;
    while (left.length > 0) {
      if (this.#seen === -1) {
        left = this.#readHeader(left);
        continue;
      }
      const end = left.indexOf(10);
      this.#keep(end === -1 ? left : left.subarray(0, end));
      if (end === -1) return;
      left = left.subarray(end + 1);
      yield this.#record();
    }
  }

  /** Consumes the header from the chunk; returns the rest. */
  #readHeader(chunk: Buffer): Buffer {
    const before = this.#header.length;
    const all = before === 0 ? chunk : Buffer.concat([this.#header, chunk]);
    const afterPath = all.indexOf(0);
    const afterLine = afterPath === -1 ? -1 : all.indexOf(0, afterPath + 1);
    const afterColumn = afterLine === -1 ? -1 : all.indexOf(0, afterLine + 1);
    if (afterColumn === -1) {
      this.#header = Buffer.from(all);
      return all.subarray(all.length);
    }
    this.#path = all.toString("utf8", this.#prefix, afterPath);
    this.#line = Number(all.toString("latin1", afterPath + 1, afterLine));
    this.#match = Number(all.toString("latin1", afterLine + 1, afterColumn)) - 1;
    this.#header = Buffer.alloc(0);
    this.#seen = 0;
    return all.subarray(afterColumn + 1);
  }

  #keep(piece: Buffer): void {
    const from = Math.max(0, this.#match - AROUND - this.#seen);
    const to = Math.min(piece.length, this.#match + AROUND - this.#seen);
    if (to > from) this.#text.push(Buffer.from(piece.subarray(from, to)));
    this.#seen += piece.length;
  }

  #record(): FoundLine {
    const start = Math.max(0, this.#match - AROUND);
    const bytes = Buffer.concat(this.#text);
    const cutAfter = this.#seen > this.#match + AROUND;
    // A character that was cut in two decodes to U+FFFD at the edge.
    const head = bytes.toString("utf8", 0, this.#match - start).replace(start > 0 ? /^\ufffd+/ : /^(?!)/, "");
    const tail = bytes.toString("utf8", this.#match - start).replace(cutAfter ? /\ufffd+$/ : /(?!)$/, "");
    const text = head + tail;
    const found = { path: this.#path, line: this.#line, text, at: head.length, cutBefore: start > 0, cutAfter };
    this.#text = [];
    this.#seen = -1;
    return found;
  }
}
