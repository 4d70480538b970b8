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

const FIRST_ROOM = 1 << 16;

/** Collects the terms of blobs for a segment, then for the next one. */
export class SegmentWriter {
  #names: string[] = [];
  #bytes: number[] = [];
  #skips: number[] = [];
  #lengths: number[] = [];
  #ends: number[] = [];
  /** Room for more terms than there are; used again for the next segment. */
  #room = { terms: new Uint32Array(FIRST_ROOM), counts: new Uint8Array(FIRST_ROOM) };
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
    if (counted) this.#append(counted);
    this.#lengths.push(counted?.length ?? 0);
    this.#ends.push(this.#terms);
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

  /** The segment; the next blob begins another one. */
  finish(): Segment {
    const segment = {
      names: this.#names,
      bytes: Uint32Array.from(this.#bytes),
      skips: Uint8Array.from(this.#skips),
      lengths: Uint32Array.from(this.#lengths),
      ends: Uint32Array.from(this.#ends),
      terms: this.#room.terms.slice(0, this.#terms),
      counts: this.#room.counts.slice(0, this.#terms),
    };
    [this.#names, this.#bytes, this.#skips, this.#lengths, this.#ends] = [[], [], [], [], []];
    this.#terms = 0;
    return segment;
  }

  #append({ terms, counts }: CountedTerms): void {
    const end = this.#terms + terms.length;
    if (end > this.#room.counts.length) {
      const room = Math.max(end, 2 * this.#room.counts.length);
      const wider = { terms: new Uint32Array(room), counts: new Uint8Array(room) };
      wider.terms.set(this.#room.terms);
      wider.counts.set(this.#room.counts);
      this.#room = wider;
    }
    this.#room.terms.set(terms, this.#terms);
    this.#room.counts.set(counts, this.#terms);
    this.#terms = end;
  }
}
