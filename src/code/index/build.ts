import { MOST_BYTES } from "./blob-cache.ts";
import type { Contents } from "./blob-cache.ts";
import { readBlobs } from "../git/read-blobs.ts";
import { SegmentWriter } from "./segment.ts";
import type { Segment } from "./segment.ts";
import { TermCounter } from "./term-counter.ts";

/** A blob to read for the index. */
export interface Wanted {
  objectName: string;
  size: number;
}

const TERMS_IN_SEGMENT = 2_000_000;
const BLOBS_IN_SEGMENT = 20_000;
const LFS_POINTER = Buffer.from("version https://git-lfs.github.com/spec/v1\n");

/** Reads blobs once each and counts their terms (R-EXP-1). What is missing is left out: it may come later. */
export async function indexBlobs(gitDirectory: string, wanted: readonly Wanted[]): Promise<Segment[]> {
  const builder = new SegmentBuilder();
  const readable: string[] = [];
  for (const { objectName, size } of wanted) {
    if (size > MOST_BYTES) builder.addTooLarge(objectName, size);
    else readable.push(objectName);
  }
  await readBlobs(gitDirectory, readable, MOST_BYTES, ({ content, bytes }, position) => {
    const name = readable[position] ?? "";
    if (content !== null) builder.add(name, content);
    else if (bytes !== null) builder.addTooLarge(name, bytes);
  });
  return builder.finish();
}

/** The same for a few blobs whose sizes nobody knows, through the git that is up already. */
export async function indexFew(contents: Contents, names: readonly string[]): Promise<Segment[]> {
  const builder = new SegmentBuilder();
  const blobs = await Promise.all(names.map((name) => contents.look(name)));
  for (const [at, blob] of blobs.entries()) {
    const name = names[at] ?? "";
    if (blob.kind === "blob") builder.add(name, blob.content);
    else if (blob.kind === "huge") builder.addTooLarge(name, blob.bytes);
  }
  return builder.finish();
}

class SegmentBuilder {
  readonly #done: Segment[] = [];
  readonly #counter = new TermCounter();
  #writer = new SegmentWriter();

  add(name: string, content: Buffer): void {
    if (content.subarray(0, 8_000).includes(0)) this.#writer.add(name, content.length, "binary");
    else if (content.subarray(0, LFS_POINTER.length).equals(LFS_POINTER))
      this.#writer.add(name, content.length, "pointer");
    else this.#writer.add(name, content.length, this.#counter.count(content));
    if (this.#writer.terms >= TERMS_IN_SEGMENT || this.#writer.size >= BLOBS_IN_SEGMENT) this.#cut();
  }

  addTooLarge(name: string, bytes: number): void {
    this.#writer.add(name, bytes, "too large");
  }

  finish(): Segment[] {
    if (this.#writer.size > 0) this.#cut();
    return this.#done;
  }

  #cut(): void {
    this.#done.push(this.#writer.finish());
    this.#writer = new SegmentWriter();
  }
}
