import { BlobReader, type Blob } from "../git/blobs.ts";

/** Bytes; larger texts are neither indexed nor read. */
export const LARGEST_TEXT = 4 * 1024 * 1024;
const CACHED_BYTES = 32 * 1024 * 1024;

/** Reads blobs by object name and caches their contents. */
export class BlobCache {
  readonly #gitDirectory: string;
  readonly #cached = new Map<string, Buffer | null>();
  #bytes = 0;
  #reader: BlobReader | undefined;

  constructor(gitDirectory: string) {
    this.#gitDirectory = gitDirectory;
  }

  /** `null` if this clone lacks the object, or it is too large. */
  async read(objectName: string): Promise<Buffer | null> {
    const cached = this.#cached.get(objectName);
    if (cached !== undefined) return cached;
    const blob = await this.readUncached(objectName);
    const content = blob.kind === "blob" ? blob.content : null;
    this.#bytes += content?.length ?? 0;
    if (this.#bytes > CACHED_BYTES) {
      this.#cached.clear();
      this.#bytes = content?.length ?? 0;
    }
    this.#cached.set(objectName, content);
    return content;
  }

  /** Reads a blob past the cache. */
  readUncached(objectName: string): Promise<Blob> {
    return this.open().read(objectName);
  }

  /** Starts git, unless it runs. */
  open(): BlobReader {
    if (!this.#reader?.alive) this.#reader = new BlobReader(this.#gitDirectory, LARGEST_TEXT);
    return this.#reader;
  }

  close(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }
}
