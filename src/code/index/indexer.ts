import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { isOpaque } from "../classify.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import type { BlobCache } from "./blob-cache.ts";
import { Corpus } from "./corpus.ts";
import { listingAt, packListing, unpackListing, type TreeListing } from "./tree-listing.ts";
import { recentLog } from "./recent-commits.ts";
import { indexBlobs, indexFewBlobs, type SizedBlob } from "./segment-builder.ts";
import { SegmentWriter, type Segment } from "./segment.ts";
import { IndexStore, isDamaged, isUnwritable, removeIndex } from "./store.ts";
import { TreeFile, type SegmentSlot } from "./tree-file.ts";

/** With more segments than this, closing the index compacts them into one. */
const MOST_SEGMENTS = 48;

/** An indexed commit. */
interface IndexedCommit {
  listing: TreeListing;
  log: string;
}

/** The index of one repository across its commits: blobs that two commits share are read once. */
export class Indexer {
  readonly #gitDirectory: string;
  readonly #blobs: BlobCache;
  readonly #file: string | null;
  readonly #slots = new Map<string, SegmentSlot>();
  #store: IndexStore;
  /** Id of the last stored segment that was loaded. */
  #lastSegment = 0;
  #segmentCount = 0;
  /** Ids of the segments that this process stored. */
  readonly #own = new Set<number>();
  #current: IndexedCommit | null = null;
  /** Whether the current commit is stored. */
  #isStored = true;
  #storeFailure: string | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #corpus: Corpus | null = null;

  private constructor(gitDirectory: string, blobs: BlobCache, file: string | null, store: IndexStore) {
    this.#gitDirectory = gitDirectory;
    this.#blobs = blobs;
    this.#file = file;
    this.#store = store;
  }

  /** Opens the index below `home`; without one, it lives in memory and ends with the process. */
  static async open(gitDirectory: string, blobs: BlobCache, home: string | null): Promise<Indexer> {
    const file = home === null ? null : fileFor(gitDirectory, home);
    return new Indexer(gitDirectory, blobs, file, await IndexStore.open(file));
  }

  /** Why the index could not be stored; `null` while it can. */
  get storeFailure(): string | null {
    return this.#storeFailure;
  }

  /** The store on disk, or in memory. */
  get store(): IndexStore {
    return this.#store;
  }

  /** Indexes a commit, reading only blobs that no earlier commit had. */
  at(commit: string): Promise<Corpus> {
    // One at a time: each builds on the commit before.
    const corpus = this.#queue.then(async () => await this.#at(commit));
    this.#queue = corpus.catch(() => {});
    return corpus;
  }

  async #at(commit: string): Promise<Corpus> {
    if (this.#corpus !== null && this.#current?.listing.commit === commit) return this.#corpus;
    try {
      return await this.#index(commit);
    } catch (error) {
      if (this.#file === null || !isDamaged(error)) throw error;
      await this.#reset(this.#file);
      return await this.#index(commit);
    }
  }

  /** Stores the last commit, so that the next process need not start from an earlier one. */
  close(): void {
    try {
      this.#tryToStore(() => {
        if (!this.#isStored) this.#storeCurrent();
        if (this.#segmentCount > MOST_SEGMENTS) this.#compact();
      });
    } finally {
      this.#store.close();
    }
  }

  async #index(commit: string): Promise<Corpus> {
    const earlier = this.#current ?? this.#loadCommit(commit);
    const [listing, log] = await Promise.all([
      this.#indexTree(commit, earlier?.listing ?? null),
      recentLog(this.#gitDirectory, commit, earlier && { commit: earlier.listing.commit, log: earlier.log }),
    ]);
    const before = this.#corpus;
    const files = listing.entries.map((entry) => {
      const known = before?.file(entry.path);
      return known?.matches(entry) ? known : new TreeFile(entry, this.#slots.get(entry.objectName));
    });
    this.#current = { listing, log };
    this.#corpus = new Corpus(files, log);
    if (earlier === null) this.#tryToStore(() => this.#storeCurrent());
    else if (earlier.listing.commit !== commit) this.#isStored = false;
    return this.#corpus;
  }

  async #indexTree(commit: string, earlier: TreeListing | null): Promise<TreeListing> {
    const listing = await listingAt(this.#gitDirectory, commit, earlier);
    this.#loadSegments();
    const sized = new Map<string, SizedBlob>();
    const unsized = new Set<string>();
    for (const { kind, path, objectName, size } of listing.entries) {
      if (kind !== "file" || this.#slots.has(objectName) || isOpaque(path)) continue;
      if (size === null) unsized.add(objectName);
      else sized.set(objectName, { objectName, size });
    }
    if (sized.size > 0) this.#add(await indexBlobs(this.#gitDirectory, [...sized.values()]));
    if (unsized.size > 0 && earlier !== null) {
      const found = await this.#readFew([...unsized]);
      // Only a full listing shows which blobs a partial clone lacks.
      if (found === null) return await this.#indexTree(commit, null);
      this.#add(found);
    }
    return listing;
  }

  async #readFew(names: readonly string[]): Promise<Segment[] | null> {
    try {
      return await indexFewBlobs(this.#blobs, names);
    } catch (error) {
      if (error instanceof RelayError && error.code === "unavailable") return null;
      throw error;
    }
  }

  #add(segments: readonly Segment[]): void {
    for (const segment of segments) this.#addSlots(segment);
    this.#tryToStore(() => {
      for (const id of this.#store.addSegments(segments)) this.#own.add(id);
    });
  }

  /** Loads the segments that other processes have stored. */
  #loadSegments(): void {
    for (const id of this.#store.segmentsAfter(this.#lastSegment)) {
      this.#lastSegment = id;
      const segment = this.#own.delete(id) ? null : this.#store.segment(id);
      if (segment) this.#addSlots(segment);
    }
  }

  #addSlots(segment: Segment): void {
    this.#segmentCount += 1;
    for (const [at, name] of segment.names.entries()) this.#slots.set(name, { segment, at });
  }

  /** A failure to store is not fatal: the index still serves this process, and the next one builds it again. */
  #tryToStore(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      this.#storeFailure = messageOf(error);
    }
  }

  #loadCommit(commit: string): IndexedCommit | null {
    const tree = this.#store.tree(commit) ?? this.#store.latestTree();
    if (tree === null) return null;
    return { listing: { commit: tree.commit, entries: unpackListing(tree.listing) }, log: tree.log };
  }

  /** Joins many small segments into one, without the blobs that the last commit no longer has. */
  #compact(): void {
    const writer = new SegmentWriter();
    const live = new Set(this.#current?.listing.entries.map((entry) => entry.objectName));
    for (const name of live) {
      const slot = this.#slots.get(name);
      if (slot) writer.copy(slot.segment, slot.at);
    }
    this.#store.addSegments([writer.finish()], { replace: true });
    this.#store.pruneParses(live);
  }

  #storeCurrent(): void {
    if (this.#current === null) return;
    const { listing, log } = this.#current;
    this.#store.storeTree(listing.commit, packListing(listing.entries), log);
    this.#isStored = true;
  }

  async #reset(file: string): Promise<void> {
    this.#store.close();
    removeIndex(file);
    this.#store = await IndexStore.open(file);
    this.#slots.clear();
    this.#lastSegment = 0;
    this.#own.clear();
    this.#segmentCount = 0;
    this.#current = null;
    this.#corpus = null;
  }
}

function fileFor(gitDirectory: string, home: string): string {
  const name = createHash("sha256").update(realpathSync(gitDirectory)).digest("hex").slice(0, 20);
  return join(home, "index", `${name}.sqlite`);
}
