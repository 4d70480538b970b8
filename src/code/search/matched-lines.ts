import { cut } from "../../lib/text.ts";
import { NEWLINE } from "../index/bytes.ts";
import { eachDefinition } from "../index/definitions.ts";
import { eachTerm, TermFilter } from "../index/terms.ts";
import type { DirectEvidence, Evidence } from "./evidence.ts";
import { IS_COMMENT, isImportLine, tellsPlace } from "./literals.ts";

const TEXT_LIMIT = 200;
/** Longer lines are data or minified code. */
const LONGEST_LINE = 900;
/** Bytes of a file that are searched. */
const MOST_BYTES = 300_000;

const BLANK = 32;
const TAB = 9;
const RETURN = 13;
const TAB_COLUMNS = 4;

/** What a line has in common with an issue. */
export interface MatchedLine {
  /** Indexes of the words. */
  words: ReadonlySet<number>;
  defines: string | null;
  message: string | null;
  /** From 0 to 1: comments count less than code, docstrings and imports next to nothing. */
  share: number;
}

/**
 * Found on development cases, split by repository. A function's docs are longer than the function, and seldom change.
 */
const COMMENT = 0.7;
const PROSE = 0.2;
const IMPORT = 0.2;

/** The lines of a text, from 1, with what they have in common with an issue. */
export class MatchedLines {
  /** The names of the query that the text defines, letter by letter. */
  readonly definitions = new Set<string>();
  readonly #matched = new Map<number, MatchedLine & { words: Set<number> }>();
  readonly #bytes: Buffer;
  readonly #starts: Uint32Array;
  readonly #prose: Uint8Array;
  #inOrder: number[] | undefined;

  constructor(content: Buffer, { words }: Pick<Evidence, "words">, direct: DirectEvidence | undefined) {
    const { bytes, starts, terms, lines, prose } = termsByLine(content);
    this.#bytes = bytes;
    this.#prose = prose;
    this.#starts = starts;
    const positions = new Map(words.words.map(({ term }, position) => [term, position]));
    const filter = new TermFilter(positions.keys());
    for (let at = 0; at < terms.length; at += 1) {
      const term = terms[at] ?? 0;
      const position = filter.mayHave(term) ? positions.get(term) : undefined;
      if (position !== undefined) this.#on(lines[at] ?? 0).words.add(position);
    }
    if (direct !== undefined && direct.defines.size > 0) {
      eachDefinition(bytes, (start, end) => {
        const name = bytes.toString("utf8", start, end);
        if (!direct.defines.has(name)) return;
        this.#at(start).defines = name;
        this.definitions.add(name);
      });
    }
    for (const message of direct?.messages ?? []) {
      const text = bytes.toString("latin1").toLowerCase();
      const wanted = Buffer.from(message).toString("latin1").toLowerCase();
      let at = text.indexOf(wanted);
      while (at !== -1 && IS_COMMENT.test(this.text(this.#lineOf(at)))) at = text.indexOf(wanted, at + 1);
      if (at !== -1) this.#at(at).message = message;
    }
  }

  get count(): number {
    return this.#starts.length;
  }

  on(line: number): Readonly<MatchedLine> | undefined {
    return this.#matched.get(line);
  }

  /** The matching lines between two lines, both included. */
  between(from: number, to: number): number[] {
    const all = (this.#inOrder ??= [...this.#matched.keys()].toSorted((a, b) => a - b));
    const found: number[] = [];
    for (let at = firstFrom(all, from); at < all.length; at += 1) {
      const line = all[at] ?? 0;
      if (line > to) break;
      found.push(line);
    }
    return found;
  }

  /** Whether there is code on a line, beyond comments, docstrings and what only closes a block. */
  isPlace(line: number): boolean {
    return this.#prose[line] !== 1 && tellsPlace(this.beginning(line, TEXT_LIMIT));
  }

  isImport(line: number): boolean {
    return isImportLine(this.text(line));
  }

  /** Trimmed; empty for a line that does not exist or is too long. */
  text(line: number): string {
    const start = this.#starts[line - 1];
    if (start === undefined) return "";
    const end = this.#starts[line] ?? this.#bytes.length;
    if (end - start > LONGEST_LINE) return "";
    return cut(this.#bytes.toString("utf8", start, end).trim(), TEXT_LIMIT, "");
  }

  /** The first characters of a line, without indentation, even if it is very long. */
  beginning(line: number, most: number): string {
    const start = this.#starts[line - 1] ?? this.#bytes.length;
    const end = this.#starts[line] ?? this.#bytes.length;
    return cut(this.#bytes.toString("utf8", start, Math.min(end, start + LONGEST_LINE)).trim(), most, "");
  }

  /** The indentation of a line, with a tab as four blanks; null for an empty line, or one that does not exist. */
  indentation(line: number): number | null {
    const start = this.#starts[line - 1];
    if (start === undefined) return null;
    let columns = 0;
    for (let at = start; at < this.#bytes.length; at += 1) {
      const byte = this.#bytes[at];
      if (byte === BLANK) columns += 1;
      else if (byte === TAB) columns += TAB_COLUMNS;
      else return byte === NEWLINE || byte === RETURN ? null : columns;
    }
    return null;
  }

  #at(byte: number): MatchedLine & { words: Set<number> } {
    return this.#on(this.#lineOf(byte));
  }

  #on(line: number): MatchedLine & { words: Set<number> } {
    const known = this.#matched.get(line);
    if (known) return known;
    const text = this.text(line);
    const isProse = this.#prose[line] === 1;
    const share = isProse ? PROSE : IS_COMMENT.test(text) ? COMMENT : isImportLine(text) ? IMPORT : 1;
    const none = { words: new Set<number>(), defines: null, message: null, share };
    this.#matched.set(line, none);
    return none;
  }

  #lineOf(byte: number): number {
    return firstFrom(this.#starts, byte + 1);
  }
}

/** The index of the first number of a sorted list that is not smaller. */
export function firstFrom(sorted: ArrayLike<number>, least: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface TermsByLine {
  bytes: Buffer;
  /** The offset at which each line begins. */
  starts: Uint32Array;
  terms: Uint32Array;
  /** The line of each term, from 1. */
  lines: Uint32Array;
  /** 1 for a line of a docstring or a multi-line comment. */
  prose: Uint8Array;
}

/** Cached as long as the contents are, since successive queries show the same files. */
const known = new WeakMap<Buffer, TermsByLine>();

function termsByLine(content: Buffer): TermsByLine {
  const before = known.get(content);
  if (before) return before;
  const bytes = content.subarray(0, MOST_BYTES);
  const starts = [0];
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) starts.push(at + 1);
  const terms: number[] = [];
  const lines: number[] = [];
  let line = 1;
  eachTerm(bytes, 0, bytes.length, (term, start) => {
    while ((starts[line] ?? Infinity) <= start) line += 1;
    terms.push(term);
    lines.push(line);
  });
  const found = {
    bytes,
    starts: Uint32Array.from(starts),
    terms: Uint32Array.from(terms),
    lines: Uint32Array.from(lines),
    prose: proseLines(bytes, starts),
  };
  known.set(content, found);
  return found;
}

/** The start of a docstring, up to the same quotes, or of a block comment. */
const PROSE_BEGINS = /^\s*(?:(?:\w{1,80}\s*=\s*)?[rRuUbB]{0,2}("""|''')|(\/\*))/;

/** The lines of a text, from 1, on which there is code. */
export function codeLinesOf(text: string): (line: number) => boolean {
  const bytes = Buffer.from(text);
  const starts = [0];
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) starts.push(at + 1);
  const prose = proseLines(bytes, starts);
  const lines = text.split("\n");
  return (line) => prose[line] !== 1 && tellsPlace(lines[line - 1] ?? "");
}

function proseLines(bytes: Buffer, starts: readonly number[]): Uint8Array {
  const prose = new Uint8Array(starts.length + 1);
  const beginning = (line: number) => {
    const start = starts[line - 1] ?? 0;
    return bytes.toString("latin1", start, Math.min(starts[line] ?? bytes.length, start + LONGEST_LINE));
  };
  for (let line = 1; line <= starts.length; line += 1) {
    const [whole = "", quotes] = PROSE_BEGINS.exec(beginning(line)) ?? [];
    if (whole === "") continue;
    const end = bytes.indexOf(quotes ?? "*/", (starts[line - 1] ?? 0) + whole.length);
    if (end === -1) break;
    for (; line <= starts.length && (starts[line - 1] ?? 0) <= end; line += 1) prose[line] = 1;
    line -= 1;
  }
  return prose;
}
