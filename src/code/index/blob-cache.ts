import { BlobReader } from "../git/blob-reader.ts";
import type { Blob } from "../git/blob-reader.ts";

/** Larger texts are not indexed, and not read. */
export const MOST_BYTES = 4 * 1024 * 1024;
const CACHED_BYTES = 32 * 1024 * 1024;

/** Texts by object name, the ones read lately kept at hand. */
export class Contents {
  readonly #gitDirectory: string;
  readonly #kept = new Map<string, Buffer | null>();
  #bytes = 0;
  #reader: BlobReader | undefined;

  constructor(gitDirectory: string) {
    this.#gitDirectory = gitDirectory;
  }

  /** `null` where this clone does not hold the object, or it is too large. */
  async read(objectName: string): Promise<Buffer | null> {
    const kept = this.#kept.get(objectName);
    if (kept !== undefined) return kept;
    const blob = await this.look(objectName);
    const content = blob.kind === "blob" ? blob.content : null;
    this.#bytes += content?.length ?? 0;
    if (this.#bytes > CACHED_BYTES) {
      this.#kept.clear();
      this.#bytes = content?.length ?? 0;
    }
    this.#kept.set(objectName, content);
    return content;
  }

  /** What there is of an object, without keeping it. */
  look(objectName: string): Promise<Blob> {
    if (!this.#reader?.alive) this.#reader = new BlobReader(this.#gitDirectory, MOST_BYTES);
    return this.#reader.read(objectName);
  }

  close(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }
}
