import { setImmediate } from "node:timers/promises";
import { isOpaque } from "../classify.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import { inSlices } from "../../lib/slices.ts";
import type { BlobCache } from "./blob-cache.ts";
import { Corpus } from "./corpus.ts";
import { listingAt, packListing, unpackListing, type TreeListing } from "./tree-listing.ts";
import { recentLog } from "./recent-commits.ts";
import { indexBlobs, indexFewBlobs, type SizedBlob } from "./segment-builder.ts";
import { SegmentWriter, type Segment } from "./segment.ts";
import { IndexStore, indexFile, isDamaged, isUnwritable, removeIndex } from "./store.ts";
import { buildInThread } from "./thread/start.ts";
import type { TreeEntry } from "../git/tree.ts";
import { TreeFile, type SegmentSlot } from "./tree-file.ts";

/** With more segments than this, closing the index compacts them into one. */
const MOST_SEGMENTS = 48;
/** From this many blobs on, they are read in a separate thread; for fewer, starting one costs more than it saves. */
const THREAD_FROM = 20_000;

/** Settings for tests. */
export interface IndexerOptions {
  /** From this many blobs on, they are read in a separate thread. */
  threadFrom?: number;
}

/** How to follow and stop the indexing of a commit. */
export interface IndexingOptions {
  /** Called with the number of files read, and of files to read. */
  progress?: ((done: number, total: number) => void) | undefined;
  /**
   * Stops reading and ends its processes. What is stored by then is complete, and the next indexing continues from it.
   */
  signal?: AbortSignal | undefined;
}

interface IndexedCommit {
  listing: TreeListing;
  log: string;
}

type Indexing = IndexingOptions & { signal: AbortSignal };

/** The index of one repository across its commits: blobs that two commits share are read once. */
export class Indexer {
  readonly #gitDirectory: string;
  readonly #blobs: BlobCache;
  readonly #file: string | null;
  readonly #threadFrom: number;
  readonly #closing = new AbortController();
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

  private constructor(
    gitDirectory: string,
    blobs: BlobCache,
    { file, store, threadFrom = THREAD_FROM }: { file: string | null; store: IndexStore } & IndexerOptions,
  ) {
    this.#threadFrom = threadFrom;
    this.#gitDirectory = gitDirectory;
    this.#blobs = blobs;
    this.#file = file;
    this.#store = store;
  }

  /** Opens the index below `home`; without one, it lives in memory and ends with the process. */
  static async open(
    gitDirectory: string,
    blobs: BlobCache,
    { home, ...options }: { home: string | null } & IndexerOptions,
  ): Promise<Indexer> {
    const file = home === null ? null : indexFile(gitDirectory, home);
    return new Indexer(gitDirectory, blobs, { file, store: await IndexStore.open(file), ...options });
  }

  /** Why the index could not be stored; `null` while it can. */
  get storeFailure(): string | null {
    return this.#storeFailure;
  }

  /** The store on disk, or in memory. */
  get store(): IndexStore {
    return this.#store;
  }

  /**
   * Indexes a commit, reading only blobs that no earlier commit had. Rejects with the signal's reason once it is
   * aborted.
   */
  at(commit: string, { progress, signal }: IndexingOptions = {}): Promise<Corpus> {
    const closing = this.#closing.signal;
    const either = signal ? AbortSignal.any([signal, closing]) : closing;
    // One at a time: each builds on the commit before.
    const corpus = this.#queue.then(async () => await this.#at(commit, { progress, signal: either }));
    this.#queue = corpus.catch(() => {});
    return corpus;
  }

  async #at(commit: string, options: Indexing): Promise<Corpus> {
    if (this.#corpus !== null && this.#current?.listing.commit === commit) return this.#corpus;
    try {
      return await this.#index(commit, options);
    } catch (error) {
      options.signal.throwIfAborted();
      if (this.#file === null || !isDamaged(error)) throw error;
      await this.#reset(this.#file);
      return await this.#index(commit, options);
    }
  }

  /** Stores the last commit, so that the next process need not start from an earlier one; stops running reads. */
  close(): void {
    this.#closing.abort(new RelayError("internal", `the code index of ${this.#gitDirectory} was closed`));
    try {
      // An index in memory ends here.
      if (this.#file !== null)
        this.#tryToStore(() => {
          if (!this.#isStored) this.#storeCurrent();
          if (this.#segmentCount > MOST_SEGMENTS) this.#compact();
        });
    } finally {
      this.#store.close();
    }
  }

  async #index(commit: string, options: Indexing): Promise<Corpus> {
    const { signal } = options;
    signal.throwIfAborted();
    const earlier = this.#current ?? (await this.#loadCommit(commit));
    // Starts git while another git compares the commits.
    if (earlier !== null && earlier.listing.commit !== commit) this.#blobs.open();
    const known = earlier && { commit: earlier.listing.commit, log: earlier.log };
    const [{ listing, isStored }, log] = await Promise.all([
      this.#indexTree(commit, earlier?.listing ?? null, options),
      recentLog(this.#gitDirectory, commit, known, signal),
    ]);
    const before = this.#corpus;
    const files: TreeFile[] = [];
    const addFile = (entry: TreeEntry) => {
      const same = before?.file(entry.path);
      files.push(same?.matches(entry) ? same : new TreeFile(entry, this.#slots.get(entry.objectName)));
    };
    await inSlices(listing.entries, addFile, signal);
    this.#current = { listing, log };
    this.#corpus = new Corpus(files, log);
    if (earlier?.listing.commit !== commit) this.#isStored = isStored;
    if (earlier === null && !isStored) this.#tryToStore(() => this.#storeCurrent());
    return this.#corpus;
  }

  async #indexTree(
    commit: string,
    earlier: TreeListing | null,
    options: Indexing,
  ): Promise<{ listing: TreeListing; isStored: boolean }> {
    const { signal } = options;
    const listing = await listingAt(this.#gitDirectory, commit, earlier, signal);
    await this.#loadSegments();
    const sized = new Map<string, SizedBlob>();
    const unsized = new Set<string>();
    const collect = ({ kind, path, objectName, size }: TreeEntry) => {
      if (kind !== "file" || this.#slots.has(objectName) || isOpaque(path)) return;
      if (size === null) unsized.add(objectName);
      else sized.set(objectName, { objectName, size });
    };
    await inSlices(listing.entries, collect, signal);
    if (sized.size >= this.#threadFrom) {
      return { listing, isStored: await this.#readInThread(listing, [...sized.values()], options) };
    }
    if (sized.size > 0) await this.#read([...sized.values()], options);
    if (unsized.size > 0 && earlier !== null) {
      const found = await this.#readFew([...unsized]);
      signal.throwIfAborted();
      // Only a full listing shows which blobs a partial clone lacks.
      if (found === null) return await this.#indexTree(commit, null, options);
      for (const segment of found) this.#add(segment);
    }
    return { listing, isStored: false };
  }

  async #read(blobs: readonly SizedBlob[], { progress, signal }: Indexing): Promise<void> {
    await indexBlobs(this.#gitDirectory, blobs, {
      add: (segment) => this.#add(segment),
      progress: (done) => progress?.(done, blobs.length),
      signal,
    });
  }

  /** Returns whether the thread has stored the tree. */
  async #readInThread(
    listing: TreeListing,
    blobs: readonly SizedBlob[],
    { progress, signal }: Indexing,
  ): Promise<boolean> {
    let isStored = this.#file !== null && this.#storeFailure === null;
    const what = { gitDirectory: this.#gitDirectory, file: isStored ? this.#file : null, listing, blobs };
    const add = (segment: Segment, id: number | null) => {
      this.#addSlots(segment);
      if (id !== null) this.#own.add(id);
    };
    const notStored = (why: string) => {
      this.#storeFailure = why;
      isStored = false;
    };
    await buildInThread(what, { add, notStored, progress: (done) => progress?.(done, blobs.length) }, signal);
    return isStored;
  }

  async #readFew(names: readonly string[]): Promise<Segment[] | null> {
    try {
      return await indexFewBlobs(this.#blobs, names);
    } catch (error) {
      if (error instanceof RelayError && error.code === "unavailable") return null;
      throw error;
    }
  }

  #add(segment: Segment): void {
    this.#addSlots(segment);
    // In memory, the slots hold all of it.
    if (this.#file === null) return;
    this.#tryToStore(() => {
      for (const id of this.#store.addSegments([segment])) this.#own.add(id);
    });
  }

  /** Loads the segments that other processes have stored. */
  async #loadSegments(): Promise<void> {
    for (const id of this.#store.segmentsAfter(this.#lastSegment)) {
      // Large ones take a while.
      await setImmediate();
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

  async #loadCommit(commit: string): Promise<IndexedCommit | null> {
    const tree = this.#store.tree(commit) ?? this.#store.latestTree();
    if (tree === null) return null;
    return { listing: { commit: tree.commit, entries: await unpackListing(tree.listing) }, log: tree.log };
  }

  /** Compacts many small segments into one, without the blobs that the last commit no longer has. */
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
