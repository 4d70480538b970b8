import { PathIndex } from "./path-index.ts";
import { readRecent, type RecentCommit, type RecentHistory } from "./recent-commits.ts";
import { type Term, TermFilter } from "./terms.ts";
import type { TreeFile } from "./tree-file.ts";

/** The files with one term, by position, and how often each has it. */
export interface Hits {
  files: number[];
  counts: number[];
}

/** The files of one commit, searchable. A position is an index into `files`. */
export class Corpus {
  readonly files: readonly TreeFile[];
  /** Average number of terms of a text. */
  readonly averageLength: number;
  /** How many files have an indexed text. */
  readonly texts: number;
  readonly #log: string;
  readonly #positions: ReadonlyMap<string, number>;
  readonly #sources = new Map<RecentCommit, readonly number[]>();
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

  /** The source files that a recent commit changed, by position. */
  sourcesIn(commit: RecentCommit): readonly number[] {
    const known = this.#sources.get(commit);
    if (known) return known;
    const found = commit.paths.flatMap((path) => {
      const position = this.position(path);
      return position !== undefined && this.files[position]?.role === "source" ? [position] : [];
    });
    this.#sources.set(commit, found);
    return found;
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
    for (let position = 0; position < this.files.length; position += 1) {
      const slot = this.files[position]?.slot;
      if (!slot) continue;
      const { segment, at: blob } = slot;
      const { terms: all, counts, ends } = segment;
      const end = ends[blob] ?? 0;
      for (let at = blob === 0 ? 0 : (ends[blob - 1] ?? 0); at < end; at += 1) {
        const term = all[at] ?? 0;
        if (wanted.filter.mayHave(term)) wanted.found(term, position, counts[at] ?? 0);
      }
    }
    return wanted.hits;
  }

  /** The files whose path has each term. */
  searchPaths(terms: readonly Term[]): Hits[] {
    const wanted = new TermHits(terms);
    for (let position = 0; position < this.files.length; position += 1) {
      const file = this.files[position];
      if (!file || file.skipped === "link" || file.skipped === "submodule") continue;
      const all = file.pathTerms;
      for (let at = 0; at < all.length; at += 1) {
        const term = all[at] ?? 0;
        if (wanted.filter.mayHave(term)) wanted.found(term, position, 1);
      }
    }
    return wanted.hits;
  }
}

class TermHits {
  readonly hits: Hits[];
  readonly filter: TermFilter;
  readonly #byTerm = new Map<Term, Hits>();

  constructor(terms: readonly Term[]) {
    this.filter = new TermFilter(terms);
    this.hits = terms.map((term) => {
      const hits = this.#byTerm.get(term) ?? { files: [], counts: [] };
      this.#byTerm.set(term, hits);
      return hits;
    });
  }

  found(term: Term, position: number, count: number): void {
    const hits = this.#byTerm.get(term);
    hits?.files.push(position);
    hits?.counts.push(count);
  }
}
