import { PathIndex } from "./path-index.ts";
import { readRecent, type RecentHistory } from "./recent-commits.ts";
import type { Term } from "./terms.ts";
import type { TreeFile } from "./tree-file.ts";

/** The files with one term, by position, and how often each has it. */
export interface Hits {
  files: number[];
  counts: number[];
}

const FILTER = 1 << 16;

/** The files of one commit, searchable. A position is an index into `files`. */
export class Corpus {
  readonly files: readonly TreeFile[];
  /** Average number of terms of a text. */
  readonly averageLength: number;
  /** How many files have an indexed text. */
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
      if (file.slot === null) continue;
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

  /** The newest commits, parsed on first use. */
  get recent(): RecentHistory {
    return (this.#recent ??= readRecent(this.#log));
  }

  get paths(): PathIndex {
    return (this.#paths ??= new PathIndex(
      this.files.filter((file) => file.skipped !== "link" && file.skipped !== "submodule").map((file) => file.path),
    ));
  }

  /**
   * The files whose text has each term. Scans all terms of all files: a few million numbers in flat arrays for a large
   * repository, at about a nanosecond each. So there is no inverted index to build, update or load.
   */
  search(terms: readonly Term[]): Hits[] {
    const wanted = new TermHits(terms);
    for (const [position, file] of this.files.entries()) {
      if (file.slot === null) continue;
      const { segment, at: blob } = file.slot;
      const { terms: all, counts, ends } = segment;
      const end = ends[blob] ?? 0;
      for (let at = blob === 0 ? 0 : (ends[blob - 1] ?? 0); at < end; at += 1) {
        const term = all[at] ?? 0;
        if (wanted.filter[term & (FILTER - 1)] === 1) wanted.found(term, position, counts[at] ?? 0);
      }
    }
    return wanted.hits;
  }

  /** The files whose path has each term. */
  searchPaths(terms: readonly Term[]): Hits[] {
    const wanted = new TermHits(terms);
    for (const [position, file] of this.files.entries()) {
      if (file.skipped === "link" || file.skipped === "submodule") continue;
      for (const term of file.pathTerms) {
        if (wanted.filter[term & (FILTER - 1)] === 1) wanted.found(term, position, 1);
      }
    }
    return wanted.hits;
  }
}

class TermHits {
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
