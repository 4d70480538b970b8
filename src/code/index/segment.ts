import type { Skipped } from "../code-index.ts";

/** The index of many blobs, in flat arrays that are stored and loaded as they are. */
export interface Segment {
  /** Object names, by position. */
  names: readonly string[];
  bytes: Uint32Array;
  /** Why a blob has no terms, as an index into `SKIPS`; 0 if it has some. */
  skips: Uint8Array;
  /** Occurrences of all terms, by blob. */
  lengths: Uint32Array;
  /** End offset of each blob's terms, which begin at the end of the blob before. */
  ends: Uint32Array;
  terms: Uint32Array;
  counts: Uint8Array;
}

/** The distinct terms of one text and how often each occurs. */
export interface CountedTerms {
  terms: Uint32Array;
  /** Parallel to `terms`; 255 means 255 or more. */
  counts: Uint8Array;
  /** Occurrences of all terms together. */
  length: number;
}

const SKIPS: readonly (Skipped | null)[] = [null, "binary", "too large", "pointer"];

export function skipOf(segment: Segment, at: number): Skipped | null {
  return SKIPS[segment.skips[at] ?? 0] ?? null;
}

/** Collects the terms of blobs for one segment. */
export class SegmentWriter {
  readonly #names: string[] = [];
  readonly #bytes: number[] = [];
  readonly #skips: number[] = [];
  readonly #counted: (CountedTerms | null)[] = [];
  #terms = 0;

  /** Distinct terms collected so far. */
  get terms(): number {
    return this.#terms;
  }

  get size(): number {
    return this.#names.length;
  }

  add(name: string, bytes: number, content: CountedTerms | Skipped): void {
    const counted = typeof content === "string" ? null : content;
    this.#names.push(name);
    this.#bytes.push(Math.min(bytes, 0xffffffff));
    this.#skips.push(typeof content === "string" ? Math.max(1, SKIPS.indexOf(content)) : 0);
    this.#counted.push(counted);
    this.#terms += counted?.terms.length ?? 0;
  }

  /** Copies a blob from another segment. */
  copy(from: Segment, at: number): void {
    const start = at === 0 ? 0 : (from.ends[at - 1] ?? 0);
    const end = from.ends[at] ?? start;
    const skip = skipOf(from, at);
    const counted = {
      terms: from.terms.subarray(start, end),
      counts: from.counts.subarray(start, end),
      length: from.lengths[at] ?? 0,
    };
    this.add(from.names[at] ?? "", from.bytes[at] ?? 0, skip ?? counted);
  }

  finish(): Segment {
    const terms = new Uint32Array(this.#terms);
    const counts = new Uint8Array(this.#terms);
    const ends = new Uint32Array(this.#names.length);
    let end = 0;
    for (const [at, counted] of this.#counted.entries()) {
      if (counted) {
        terms.set(counted.terms, end);
        counts.set(counted.counts, end);
        end += counted.terms.length;
      }
      ends[at] = end;
    }
    return {
      names: this.#names,
      bytes: Uint32Array.from(this.#bytes),
      skips: Uint8Array.from(this.#skips),
      lengths: Uint32Array.from(this.#counted, (counted) => counted?.length ?? 0),
      ends,
      terms,
      counts,
    };
  }
}
