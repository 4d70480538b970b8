import type { Corpus } from "../index/corpus.ts";
import { definitionTermOf, termsOf } from "../index/terms.ts";
import type { SearchTerms, SearchWords } from "./query.ts";
import type { WordMatch } from "./word-match.ts";
import { matchWords } from "./word-match.ts";
import type { RecentCommit } from "../index/recent-commits.ts";

/** Why files of a corpus may be relevant. Numbers are by file position, 0 where there is no evidence. */
export interface Evidence {
  words: SearchWords;
  match: WordMatch;
  /** How much recent commits about the same words changed the file. */
  history: Float64Array;
  /** Explicit evidence, by position. */
  direct: ReadonlyMap<number, DirectEvidence>;
  /** How many files define each symbol of the query. */
  filesDefining: ReadonlyMap<string, number>;
  filesWithMessage: ReadonlyMap<string, number>;
  filesOfModule: ReadonlyMap<string, number>;
}

export interface DirectEvidence {
  frames: { depth: number; certainty: number; line: number | null; symbol: string | null }[];
  named: { as: string; certainty: number; line: number | null; endLine: number | null }[];
  modules: Set<string>;
  messages: Set<string>;
  defines: Set<string>;
}

/** Text of the file at a position; `null` where it cannot be read. */
export type ReadText = (position: number) => Promise<string | null>;

const MOST_FRAMES = 60;
/** A message with more candidate files is a common phrase, and ignored. */
const FILES_PER_MESSAGE = 24;

/** Collects all evidence (R-EXP-2). Reads the few files that may contain one of the messages. */
export async function gatherEvidence(
  corpus: Corpus,
  terms: SearchTerms,
  words: SearchWords,
  readText: ReadText,
): Promise<Evidence> {
  const direct = new DirectEvidenceCollector(corpus);
  direct.addPaths(terms);
  const messages = words.messages.map((text) => ({ text, terms: [...termsOf(text)] }));
  const definitions = words.symbols.map(definitionTermOf);
  const wordTerms = words.words.map((word) => word.term);
  const hits = corpus.search([...wordTerms, ...definitions, ...messages.flatMap((message) => message.terms)]);
  const hitsOfDefinitions = hits.slice(wordTerms.length, wordTerms.length + definitions.length);
  for (const [at, symbol] of words.symbols.entries()) direct.addDefinitions(symbol, hitsOfDefinitions[at]?.files ?? []);
  let next = wordTerms.length + definitions.length;
  for (const { text, terms: needed } of messages) {
    const holders = intersection(hits.slice(next, next + needed.length).map((hit) => hit.files));
    next += needed.length;
    if (holders.length <= FILES_PER_MESSAGE) await direct.addMessage(text, holders, readText);
  }
  const pathHits = corpus.searchPaths(wordTerms);
  return {
    words,
    match: matchWords(corpus, words, terms, { texts: hits.slice(0, wordTerms.length), paths: pathHits }),
    history: matchHistory(corpus, words),
    direct: direct.found,
    filesDefining: direct.filesDefining,
    filesWithMessage: direct.filesWithMessage,
    filesOfModule: direct.filesOfModule,
  };
}

/** The positions that all lists share. */
function intersection(lists: readonly (readonly number[])[]): number[] {
  const [first, ...others] = lists.toSorted((a, b) => a.length - b.length);
  const sets = others.map((list) => new Set(list));
  return (first ?? []).filter((position) => sets.every((set) => set.has(position)));
}

class DirectEvidenceCollector {
  readonly found = new Map<number, DirectEvidence>();
  readonly filesDefining = new Map<string, number>();
  readonly filesWithMessage = new Map<string, number>();
  readonly filesOfModule = new Map<string, number>();
  readonly #corpus: Corpus;

  constructor(corpus: Corpus) {
    this.#corpus = corpus;
  }

  addPaths(terms: SearchTerms): void {
    const { paths } = this.#corpus;
    let depth = 0;
    for (const { path, line, symbol } of terms.frames.slice(0, MOST_FRAMES)) {
      const matches = paths.match(path);
      for (const { path: found, certainty } of matches)
        this.#at(found)?.frames.push({ depth, certainty, line, symbol });
      // Frames of other packages do not count towards the depth.
      if (matches.length > 0) depth += 1;
    }
    for (const { path, line, endLine } of terms.places) {
      for (const { path: found, certainty } of paths.match(path)) {
        const file = this.#at(found);
        if (!file?.named.some((named) => named.as === path)) file?.named.push({ as: path, certainty, line, endLine });
      }
    }
    for (const symbol of terms.symbols) {
      if (!/[.:/]/.test(symbol)) continue;
      const found = paths.module(symbol);
      this.filesOfModule.set(symbol, found.length);
      for (const path of found) this.#at(path)?.modules.add(symbol);
    }
  }

  addDefinitions(symbol: string, positions: readonly number[]): void {
    const sources = positions.filter((position) => this.#corpus.files[position]?.role === "source");
    this.filesDefining.set(symbol, sources.length);
    for (const position of sources) this.#of(position).defines.add(symbol);
  }

  async addMessage(message: string, positions: readonly number[], readText: ReadText): Promise<void> {
    const lower = message.toLowerCase();
    let files = 0;
    for (const position of positions) {
      const text = await readText(position);
      if (text === null || !text.toLowerCase().includes(lower)) continue;
      this.#of(position).messages.add(message);
      files += 1;
    }
    this.filesWithMessage.set(message, files);
  }

  #at(path: string): DirectEvidence | undefined {
    const position = this.#corpus.position(path);
    return position === undefined ? undefined : this.#of(position);
  }

  #of(position: number): DirectEvidence {
    const known = this.found.get(position);
    if (known) return known;
    const none = {
      frames: [],
      named: [],
      modules: new Set<string>(),
      messages: new Set<string>(),
      defines: new Set<string>(),
    };
    this.found.set(position, none);
    return none;
  }
}

/** Larger commits are renames, reformatting and releases. */
const MOST_PATHS = 30;
/** Caps the weight of a single word. */
const MOST_WEIGHT = 9;
/** Keeps short messages from counting fully for a single word. */
const SMALLEST_MESSAGE = 20;
const UNIT = 5;

/** How strongly recent commits with the same words changed each file, by position. */
function matchHistory(corpus: Corpus, { words }: SearchWords): Float64Array {
  const match = new Float64Array(corpus.files.length);
  const { commits, byTerm } = corpus.recent;
  const agreements = new Map<RecentCommit, number>();
  for (const { term, weight } of words) {
    const commitsWithTerm = byTerm.get(term) ?? [];
    const rarity = Math.log(1 + (commits.length - commitsWithTerm.length + 0.5) / (commitsWithTerm.length + 0.5));
    const value = Math.min(MOST_WEIGHT, weight) * rarity;
    for (const commit of commitsWithTerm) agreements.set(commit, (agreements.get(commit) ?? 0) + value);
  }
  for (const [{ words: length, paths }, agreement] of agreements) {
    if (paths.length > MOST_PATHS) continue;
    const sources = paths.flatMap((path) => {
      const position = corpus.position(path);
      return position !== undefined && corpus.files[position]?.role === "source" ? [position] : [];
    });
    const each = agreement / Math.sqrt(SMALLEST_MESSAGE + length) / sources.length;
    for (const position of sources) match[position] = (match[position] ?? 0) + each;
  }
  return match.map((sum) => Math.log1p(sum / UNIT));
}
