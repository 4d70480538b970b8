import { readBlobs, type Blob } from "../git/blobs.ts";
import { LARGEST_TEXT, type BlobCache } from "./blob-cache.ts";
import { eachDefinition } from "./definitions.ts";
import { SegmentWriter, type CountedTerms, type Segment } from "./segment.ts";
import { definitionTerm, eachTerm, type Term } from "./terms.ts";

/** A blob to index, with its size as the tree lists it. */
export interface SizedBlob {
  objectName: string;
  size: number;
}

const TERMS_IN_SEGMENT = 2_000_000;
const BLOBS_IN_SEGMENT = 20_000;
const LFS_POINTER = Buffer.from("version https://git-lfs.github.com/spec/v1\n");

/** Receives segments, and how many blobs were read. */
export interface IndexedBlobs {
  add: (segment: Segment) => void;
  progress?: ((done: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Blobs between two progress reports. */
const REPORTED = 500;

/**
 * Reads each blob once and counts its terms (R-EXP-1). Missing blobs are left out, as a later fetch may bring them. An
 * abort ends git, and rejects.
 */
export async function indexBlobs(
  gitDirectory: string,
  blobs: readonly SizedBlob[],
  { add, progress, signal }: IndexedBlobs,
): Promise<void> {
  const builder = new SegmentBuilder(add);
  const readable: string[] = [];
  for (const { objectName, size } of blobs) {
    if (size > LARGEST_TEXT) builder.add(objectName, { kind: "huge", bytes: size });
    else readable.push(objectName);
  }
  const index = (blob: Blob, position: number) => {
    builder.add(readable[position] ?? "", blob);
    if ((position + 1) % REPORTED === 0) progress?.(position + 1);
  };
  await readBlobs(gitDirectory, readable, LARGEST_TEXT, index, signal);
  builder.finish();
}

/** The same for a few blobs of unknown size, through the git process that is already running. */
export async function indexFewBlobs(cache: BlobCache, names: readonly string[]): Promise<Segment[]> {
  const segments: Segment[] = [];
  const builder = new SegmentBuilder((segment) => segments.push(segment));
  const blobs = await Promise.all(names.map((name) => cache.readUncached(name)));
  for (const [at, blob] of blobs.entries()) builder.add(names[at] ?? "", blob);
  builder.finish();
  return segments;
}

class SegmentBuilder {
  readonly #done: (segment: Segment) => void;
  readonly #counter = new TermCounter();
  readonly #writer = new SegmentWriter();

  constructor(done: (segment: Segment) => void) {
    this.#done = done;
  }

  add(name: string, blob: Blob): void {
    switch (blob.kind) {
      case "missing":
        return;
      case "huge":
        this.#writer.add(name, blob.bytes, "too large");
        return;
      case "blob":
        break;
      default:
        return blob satisfies never;
    }
    const { content } = blob;
    if (content.subarray(0, 8_000).includes(0)) this.#writer.add(name, content.length, "binary");
    else if (content.subarray(0, LFS_POINTER.length).equals(LFS_POINTER))
      this.#writer.add(name, content.length, "pointer");
    else this.#writer.add(name, content.length, this.#counter.count(content));
    if (this.#writer.terms >= TERMS_IN_SEGMENT || this.#writer.size >= BLOBS_IN_SEGMENT) this.#cut();
  }

  finish(): void {
    if (this.#writer.size > 0) this.#cut();
  }

  #cut(): void {
    this.#done(this.#writer.finish());
  }
}

const SLOTS = 1 << 16;
/** Distinct terms of one text; further ones are left out, since such a text is a word list. */
const MOST_TERMS = 20_000;

/** Counts terms in one hash table that is reused for every text; clearing it costs only the slots in use. */
class TermCounter {
  readonly #terms = new Uint32Array(SLOTS);
  readonly #counts = new Uint8Array(SLOTS);
  readonly #used = new Uint32Array(MOST_TERMS);
  /** Reused buffers: the receiver must copy them. So no text leaves garbage to collect. */
  readonly #taken = { terms: new Uint32Array(MOST_TERMS), counts: new Uint8Array(MOST_TERMS) };
  #distinct = 0;
  #length = 0;

  /** The terms of a text, and the definition terms of the names that it defines; valid until the next text. */
  count(bytes: Uint8Array): CountedTerms {
    const add = (term: Term) => this.#add(term);
    eachTerm(bytes, 0, bytes.length, add);
    const length = this.#length;
    eachDefinition(bytes, (start, end) => add(definitionTerm(bytes, start, end)));
    const counted = this.#take();
    return { ...counted, length };
  }

  #add(term: Term): void {
    this.#length += 1;
    let slot = (term ^ (term >>> 16)) & (SLOTS - 1);
    for (;;) {
      const count = this.#counts[slot] ?? 0;
      if (count === 0) {
        if (this.#distinct === MOST_TERMS) return;
        this.#terms[slot] = term;
        this.#counts[slot] = 1;
        this.#used[this.#distinct] = slot;
        this.#distinct += 1;
        return;
      }
      if (this.#terms[slot] === term) {
        if (count < 255) this.#counts[slot] = count + 1;
        return;
      }
      slot = (slot + 1) & (SLOTS - 1);
    }
  }

  #take(): { terms: Uint32Array; counts: Uint8Array } {
    const { terms, counts } = this.#taken;
    const distinct = this.#distinct;
    for (let at = 0; at < distinct; at += 1) {
      const slot = this.#used[at] ?? 0;
      terms[at] = this.#terms[slot] ?? 0;
      counts[at] = this.#counts[slot] ?? 0;
      this.#counts[slot] = 0;
    }
    this.#distinct = 0;
    this.#length = 0;
    return { terms: terms.subarray(0, distinct), counts: counts.subarray(0, distinct) };
  }
}
