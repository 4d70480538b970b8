import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { isOpaque } from "../classify.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import { indexBlobs, indexFew } from "./build.ts";
import type { Wanted } from "./build.ts";
import type { Contents } from "./blob-cache.ts";
import { Corpus } from "./corpus.ts";
import { listingAt, packListing, unpackListing } from "./tree-listing.ts";
import type { Listing } from "./tree-listing.ts";
import { recentLog } from "./recent-commits.ts";
import { SegmentWriter } from "./segment.ts";
import type { Segment } from "./segment.ts";
import { IndexStore, isDamaged, isUnwritable, removeIndex } from "./store.ts";
import { TreeFile } from "./tree-file.ts";
import type { Place } from "./tree-file.ts";

/** With more segments than these, the index is joined into one when it is closed. */
const MOST_PIECES = 48;

interface Known {
  listing: Listing;
  log: string;
}

/** The index of one repository over all its commits: what one commit taught, the next need not learn again. */
export class Indexer {
  readonly #gitDirectory: string;
  readonly #contents: Contents;
  readonly #file: string | null;
  readonly #places = new Map<string, Place>();
  #store: IndexStore;
  #segments = 0;
  #pieces = 0;
  /** Segments that this process added itself. */
  readonly #own = new Set<number>();
  #known: Known | null = null;
  #isKept = true;
  #unkept: string | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #corpus: Corpus | null = null;

  private constructor(gitDirectory: string, contents: Contents, file: string | null, store: IndexStore) {
    this.#gitDirectory = gitDirectory;
    this.#contents = contents;
    this.#file = file;
    this.#store = store;
  }

  /** Opens the index below `home`; without one, it lives in memory and ends with the process. */
  static async open(gitDirectory: string, contents: Contents, home: string | null): Promise<Indexer> {
    const file = home === null ? null : fileFor(gitDirectory, home);
    return new Indexer(gitDirectory, contents, file, await IndexStore.open(file));
  }

  /** Why something could not be kept, if so. */
  get unkept(): string | null {
    return this.#unkept;
  }

  /** What is kept on disk. */
  get store(): IndexStore {
    return this.#store;
  }

  /** All that is known of a commit; of its blobs, only those are read that no earlier commit had. */
  at(commit: string): Promise<Corpus> {
    // One after the other: each stands on what the one before has learned.
    const corpus = this.#last.then(async () => await this.#at(commit));
    this.#last = corpus.catch(() => {});
    return corpus;
  }

  async #at(commit: string): Promise<Corpus> {
    if (this.#corpus !== null && this.#known?.listing.commit === commit) return this.#corpus;
    try {
      return await this.#learn(commit);
    } catch (error) {
      if (this.#file === null || !isDamaged(error)) throw error;
      await this.#startAnew(this.#file);
      return await this.#learn(commit);
    }
  }

  /** Keeps the last commit for the next time; without it, that begins at an earlier one. */
  close(): void {
    try {
      this.#whereWritable(() => {
        if (!this.#isKept) this.#keep();
        if (this.#pieces > MOST_PIECES) this.#compact();
      });
    } finally {
      this.#store.close();
    }
  }

  async #learn(commit: string): Promise<Corpus> {
    const earlier = this.#known ?? this.#stored(commit);
    const [listing, log] = await Promise.all([
      this.#indexed(commit, earlier?.listing ?? null),
      recentLog(this.#gitDirectory, commit, earlier && { commit: earlier.listing.commit, log: earlier.log }),
    ]);
    const before = this.#corpus;
    const files = listing.entries.map((entry) => {
      const known = before?.file(entry.path);
      return known?.isOf(entry) ? known : new TreeFile(entry, this.#places.get(entry.objectName));
    });
    this.#known = { listing, log };
    this.#corpus = new Corpus(files, log);
    if (earlier === null) this.#whereWritable(() => this.#keep());
    else if (earlier.listing.commit !== commit) this.#isKept = false;
    return this.#corpus;
  }

  async #indexed(commit: string, earlier: Listing | null): Promise<Listing> {
    const listing = await listingAt(this.#gitDirectory, commit, earlier);
    this.#readSegments();
    const sized = new Map<string, Wanted>();
    const unsized = new Set<string>();
    for (const { kind, path, objectName, size } of listing.entries) {
      if (kind !== "file" || this.#places.has(objectName) || isOpaque(path)) continue;
      if (size === null) unsized.add(objectName);
      else sized.set(objectName, { objectName, size });
    }
    if (sized.size > 0) this.#add(await indexBlobs(this.#gitDirectory, [...sized.values()]));
    if (unsized.size > 0 && earlier !== null) {
      const found = await this.#readFew([...unsized]);
      // A clone that lacks contents tells which it lacks only when it is listed whole.
      if (found === null) return await this.#indexed(commit, null);
      this.#add(found);
    }
    return listing;
  }

  async #readFew(names: readonly string[]): Promise<Segment[] | null> {
    try {
      return await indexFew(this.#contents, names);
    } catch (error) {
      if (error instanceof RelayError && error.code === "unavailable") return null;
      throw error;
    }
  }

  #add(segments: readonly Segment[]): void {
    for (const segment of segments) this.#take(segment);
    this.#whereWritable(() => {
      for (const id of this.#store.addSegments(segments)) this.#own.add(id);
    });
  }

  /** Takes up what other processes have added. */
  #readSegments(): void {
    for (const id of this.#store.segmentsAfter(this.#segments)) {
      this.#segments = id;
      const segment = this.#own.delete(id) ? null : this.#store.segment(id);
      if (segment) this.#take(segment);
    }
  }

  #take(segment: Segment): void {
    this.#pieces += 1;
    for (const [at, name] of segment.names.entries()) this.#places.set(name, { segment, at });
  }

  /** An index that cannot be kept serves this process, and is read again by the next. */
  #whereWritable(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      this.#unkept = messageOf(error);
    }
  }

  #stored(commit: string): Known | null {
    const tree = this.#store.tree(commit) ?? this.#store.latestTree();
    if (tree === null) return null;
    return { listing: { commit: tree.commit, entries: unpackListing(tree.listing) }, log: tree.log };
  }

  /** Joins what many small updates left, without the blobs that the last commit no longer has. */
  #compact(): void {
    const writer = new SegmentWriter();
    const live = new Set(this.#known?.listing.entries.map((entry) => entry.objectName));
    for (const name of live) {
      const place = this.#places.get(name);
      if (place) writer.copy(place.segment, place.at);
    }
    this.#store.addSegments([writer.finish()], { instead: true });
    this.#store.forgetOthers(live);
  }

  #keep(): void {
    if (this.#known === null) return;
    const { listing, log } = this.#known;
    this.#store.keepTree(listing.commit, packListing(listing.entries), log);
    this.#isKept = true;
  }

  async #startAnew(file: string): Promise<void> {
    this.#store.close();
    removeIndex(file);
    this.#store = await IndexStore.open(file);
    this.#places.clear();
    this.#segments = 0;
    this.#own.clear();
    this.#pieces = 0;
    this.#known = null;
    this.#corpus = null;
  }
}

function fileFor(gitDirectory: string, home: string): string {
  const name = createHash("sha256").update(realpathSync(gitDirectory)).digest("hex").slice(0, 20);
  return join(home, "index", `${name}.sqlite`);
}
