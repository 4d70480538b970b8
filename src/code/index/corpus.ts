import { PathIndex } from "./path-index.ts";
import { readRecent } from "./recent-commits.ts";
import type { RecentHistory } from "./recent-commits.ts";
import type { Term } from "./terms.ts";
import type { TreeFile } from "./tree-file.ts";

/** For one asked term, the files that hold it, by position, and how often each does. */
export interface Hits {
  files: number[];
  counts: number[];
}

const FILTER = 1 << 16;

/** The files of one commit, searchable. Positions are those in `files`. */
export class Corpus {
  readonly files: readonly TreeFile[];
  /** Average number of terms of a text. */
  readonly averageLength: number;
  /** How many files have a text. */
  readonly texts: number;
  readonly #log: string;
  readonly #positions: ReadonlyMap<string, number>;
  #recent: RecentHistory | undefined;
  #paths: PathIndex | undefined;

  constructor(files: readonly TreeFile[], log: string) {
    this.files = files;
    this.#log = log;
    this.#positions = new Map(files.map((file, position) => [file.path, position]));
    let total = 0;
    let texts = 0;
    for (const file of files) {
      if (file.place === null) continue;
      total += file.length;
      texts += 1;
    }
    this.texts = texts;
    this.averageLength = Math.max(1, total / Math.max(1, texts));
  }

  position(path: string): number | undefined {
    return this.#positions.get(path);
  }

  file(path: string): TreeFile | undefined {
    const position = this.#positions.get(path);
    return position === undefined ? undefined : this.files[position];
  }

  /** The newest commits, read from their log when first asked for. */
  get recent(): RecentHistory {
    return (this.#recent ??= readRecent(this.#log));
  }

  get paths(): PathIndex {
    return (this.#paths ??= new PathIndex(
      this.files.filter((file) => file.skipped !== "link" && file.skipped !== "submodule").map((file) => file.path),
    ));
  }

  /**
   * The files whose text holds each term. It reads over all terms of all files: they lie flat in memory, a few
   * million for a large repository, and a filter passes over each in about a nanosecond. So there is no
   * inverted list to build, to update or to load.
   */
  search(terms: readonly Term[]): Hits[] {
    const sought = new Sought(terms);
    for (const [position, file] of this.files.entries()) {
      if (file.place === null) continue;
      const { segment, at: blob } = file.place;
      const { terms: all, counts, ends } = segment;
      const end = ends[blob] ?? 0;
      for (let at = blob === 0 ? 0 : (ends[blob - 1] ?? 0); at < end; at += 1) {
        const term = all[at] ?? 0;
        if (sought.filter[term & (FILTER - 1)] === 1) sought.found(term, position, counts[at] ?? 0);
      }
    }
    return sought.hits;
  }

  /** The files whose path holds each term. */
  searchPaths(terms: readonly Term[]): Hits[] {
    const sought = new Sought(terms);
    for (const [position, file] of this.files.entries()) {
      if (file.skipped === "link" || file.skipped === "submodule") continue;
      for (const term of file.pathTerms) {
        if (sought.filter[term & (FILTER - 1)] === 1) sought.found(term, position, 1);
      }
    }
    return sought.hits;
  }
}

class Sought {
  readonly hits: Hits[];
  readonly filter = new Uint8Array(FILTER);
  readonly #byTerm = new Map<Term, Hits>();

  constructor(terms: readonly Term[]) {
    this.hits = terms.map((term) => {
      const hits = this.#byTerm.get(term) ?? { files: [], counts: [] };
      this.#byTerm.set(term, hits);
      this.filter[term & (FILTER - 1)] = 1;
      return hits;
    });
  }

  found(term: Term, position: number, count: number): void {
    const hits = this.#byTerm.get(term);
    hits?.files.push(position);
    hits?.counts.push(count);
  }
}
