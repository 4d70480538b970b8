import type { Corpus } from "../index/corpus.ts";
import { definitionTermOf, termsOf } from "../index/terms.ts";
import type { SearchTerms, SearchWords } from "./query-words.ts";
import type { WordMatch } from "./word-match.ts";
import { matchWords } from "./word-match.ts";
import type { RecentCommit } from "../index/recent-commits.ts";

/** What speaks for the files of a corpus. Numbers are by file position, 0 where there is nothing. */
export interface Evidence {
  words: SearchWords;
  match: WordMatch;
  /** How much recent commits that speak of the same things changed the file. */
  history: Float64Array;
  /** What an issue says outright, by position. */
  direct: ReadonlyMap<number, DirectEvidence>;
  /** How many files define each symbol that is asked for. */
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

const FRAMES_READ = 60;
/** A message in more files than these is a common phrase. */
const FILES_READ_FOR_MESSAGE = 24;

/** Looks everything up (R-EXP-2). The texts of a few files are read, to see whether messages stand in them. */
export async function gatherEvidence(
  corpus: Corpus,
  terms: SearchTerms,
  words: SearchWords,
  readText: ReadText,
): Promise<Evidence> {
  const direct = new DirectFinds(corpus);
  direct.followPaths(terms);
  const messages = words.messages.map((text) => ({ text, terms: [...termsOf(text)] }));
  const definitions = words.symbols.map(definitionTermOf);
  const wordTerms = words.words.map((word) => word.term);
  const hits = corpus.search([...wordTerms, ...definitions, ...messages.flatMap((message) => message.terms)]);
  const hitsOfDefinitions = hits.slice(wordTerms.length, wordTerms.length + definitions.length);
  for (const [at, symbol] of words.symbols.entries()) direct.define(symbol, hitsOfDefinitions[at]?.files ?? []);
  let next = wordTerms.length + definitions.length;
  for (const { text, terms: needed } of messages) {
    const holders = inAll(hits.slice(next, next + needed.length).map((hit) => hit.files));
    next += needed.length;
    if (holders.length <= FILES_READ_FOR_MESSAGE) await direct.say(text, holders, readText);
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

/** Positions that every list has. */
function inAll(lists: readonly (readonly number[])[]): number[] {
  const [first, ...others] = lists.toSorted((a, b) => a.length - b.length);
  const sets = others.map((list) => new Set(list));
  return (first ?? []).filter((position) => sets.every((set) => set.has(position)));
}

class DirectFinds {
  readonly found = new Map<number, DirectEvidence>();
  readonly filesDefining = new Map<string, number>();
  readonly filesWithMessage = new Map<string, number>();
  readonly filesOfModule = new Map<string, number>();
  readonly #corpus: Corpus;

  constructor(corpus: Corpus) {
    this.#corpus = corpus;
  }

  followPaths(terms: SearchTerms): void {
    const { paths } = this.#corpus;
    let depth = 0;
    for (const { path, line, symbol } of terms.frames.slice(0, FRAMES_READ)) {
      const matches = paths.match(path);
      for (const { path: found, certainty } of matches)
        this.#at(found)?.frames.push({ depth, certainty, line, symbol });
      // Frames of other packages do not push the repository's own ones down.
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

  define(symbol: string, positions: readonly number[]): void {
    const sources = positions.filter((position) => this.#corpus.files[position]?.role === "source");
    this.filesDefining.set(symbol, sources.length);
    for (const position of sources) this.#of(position).defines.add(symbol);
  }

  async say(message: string, positions: readonly number[], readText: ReadText): Promise<void> {
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

/** Larger commits are renames, formats, releases. */
const MOST_PATHS = 30;
/** One word, however heavy, is not the whole of a message. */
const MOST_WEIGHT = 9;
/** Keeps short messages from counting as wholly about their one word. */
const SMALLEST_MESSAGE = 20;
const UNIT = 5;

/** How much of what recent commits said about the same things they did in each file, by position. */
function matchHistory(corpus: Corpus, { words }: SearchWords): Float64Array {
  const match = new Float64Array(corpus.files.length);
  const { commits, speakingOf } = corpus.recent;
  const agreements = new Map<RecentCommit, number>();
  for (const { term, weight } of words) {
    const speaking = speakingOf.get(term) ?? [];
    const rarity = Math.log(1 + (commits.length - speaking.length + 0.5) / (speaking.length + 0.5));
    const value = Math.min(MOST_WEIGHT, weight) * rarity;
    for (const commit of speaking) agreements.set(commit, (agreements.get(commit) ?? 0) + value);
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
