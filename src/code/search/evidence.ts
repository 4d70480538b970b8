import { matchAreas } from "./area-match.ts";
import type { Corpus, Hits } from "../index/corpus.ts";
import type { OpenIndex } from "../index/explorer.ts";
import { type Handler, handlersOf } from "./handlers.ts";
import { intersection, IS_COMMENT, Look, type ReadText } from "./literals.ts";
import { definitionTermOf, termsOf } from "../index/terms.ts";
import type { Asked, SearchTerms, SearchWords } from "./query.ts";
import type { RecentCommit } from "../index/recent-commits.ts";
import { matchHistory } from "./history-match.ts";
import { packagePlaces } from "./package-places.ts";
import { projectNames } from "./project-names.ts";

/** Why files of a corpus may be relevant. Numbers are by file position, 0 if there is no evidence. */
export interface Evidence {
  words: SearchWords;
  match: WordMatch;
  /** How much recent commits about the same words changed the file. */
  history: Float64Array;
  /** How well the path fits an area that the issue names, from 0 to 1. */
  area: Float64Array;
  /** The recent commit that matches best, by position. */
  commits: ReadonlyMap<number, RecentCommit>;
  asked: Asked;
  /** Symbols in which no place is shown. */
  spared: ReadonlySet<string>;
  /** The project's own names, in lower case: they lead nowhere in it. */
  own: ReadonlySet<string>;
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
  handles: Handler[];
  modules: Set<string>;
  messages: Set<string>;
  defines: Set<string>;
}

const MOST_FRAMES = 60;
/** A message with more candidate files is a common phrase, and ignored. */
const FILES_PER_MESSAGE = 24;

/** Collects all evidence (R-EXP-2). Reads the few files that may contain one of the messages. */
export async function gatherEvidence(
  index: Pick<OpenIndex, "corpus" | "outline" | "imports">,
  terms: SearchTerms,
  words: SearchWords,
  readText: ReadText,
): Promise<Evidence> {
  const { corpus } = index;
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
  const look = new Look(index, readText);
  const own = await projectNames(corpus, readText);
  direct.addHandlers(await handlersOf(terms.surfaces ?? [], look));
  direct.addHandlers(await packagePlaces(terms, own, look));
  const pathHits = corpus.searchPaths(wordTerms);
  return {
    words,
    match: matchWords(corpus, words, terms, { texts: hits.slice(0, wordTerms.length), paths: pathHits }),
    area: matchAreas(corpus, terms.areas ?? []),
    ...matchHistory(corpus, words),
    asked: terms.asked ?? "issue",
    spared: new Set(terms.spared),
    own,
    direct: direct.found,
    filesDefining: direct.filesDefining,
    filesWithMessage: direct.filesWithMessage,
    filesOfModule: direct.filesOfModule,
  };
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
        // A frame shows how near it is to the fault; its file name must not count as much as a path in prose.
        if (file?.frames.length) continue;
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
      if (text === null || !speaks(text, lower)) continue;
      this.#of(position).messages.add(message);
      files += 1;
    }
    this.filesWithMessage.set(message, files);
  }

  addHandlers(handlers: ReadonlyMap<number, Handler[]>): void {
    for (const [position, found] of handlers) this.#of(position).handles.push(...found);
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
      handles: [],
      modules: new Set<string>(),
      messages: new Set<string>(),
      defines: new Set<string>(),
    };
    this.found.set(position, none);
    return none;
  }
}

/** Whether a text has a message in lower case outside its comments: no program prints what a comment says. */
function speaks(text: string, message: string): boolean {
  const lines = text.toLowerCase().split("\n");
  return lines.some((line) => line.includes(message) && !IS_COMMENT.test(line.trim()));
}

/** How well each file matches the words of an issue, relative to a file that has all of them. */
interface WordMatch {
  /** BM25 of the words of the title. */
  title: Float64Array;
  /** BM25 of the words of the text. */
  text: Float64Array;
  /** Words in the path. */
  path: Float64Array;
  /** Share of the file's name that the issue mentions, from 0 to 1. */
  name: Float64Array;
  /** Inverse document frequency, by word. */
  rarity: Float64Array;
  texts: readonly Hits[];
  paths: readonly Hits[];
}

const K1 = 1.2;
const B = 0.75;
/** A word of the text counts less in a path than a word of the title. */
const TEXT_IN_PATH = 0.25;

/** Scores the match of words. `hits` are by word. */
function matchWords(
  corpus: Corpus,
  { words, scale }: SearchWords,
  terms: SearchTerms,
  hits: { texts: readonly Hits[]; paths: readonly Hits[] },
): WordMatch {
  const zeros = () => new Float64Array(corpus.files.length);
  const match: WordMatch = { title: zeros(), text: zeros(), path: zeros(), name: zeros(), rarity: zeros(), ...hits };
  match.rarity = Float64Array.from(words, (_, at) => rarityOf(corpus, hits.texts[at], hits.paths[at]));
  let titleScale = 0;
  for (const [at, { inTitle, textWeight }] of words.entries()) {
    const rarity = match.rarity[at] ?? 0;
    if (inTitle) titleScale += rarity;
    const { files, counts } = hits.texts[at] ?? NONE;
    for (let index = 0; index < files.length; index += 1) {
      const position = files[index] ?? 0;
      const length = corpus.files[position]?.length ?? 0;
      const count = counts[index] ?? 0;
      const norm = 1 - B + (B * length) / corpus.averageLength;
      const value = (rarity * count * (K1 + 1)) / (count + K1 * norm);
      if (inTitle) match.title[position] = (match.title[position] ?? 0) + value;
      match.text[position] = (match.text[position] ?? 0) + textWeight * value;
    }
    const onPath = (inTitle ? 1 : 0) + (textWeight > 0 ? TEXT_IN_PATH : 0);
    for (const position of hits.paths[at]?.files ?? []) {
      match.path[position] = (match.path[position] ?? 0) + onPath * rarity;
    }
  }
  const share = 1 / Math.max(1, titleScale);
  for (let position = 0; position < corpus.files.length; position += 1) {
    match.title[position] = (match.title[position] ?? 0) * share;
    match.path[position] = (match.path[position] ?? 0) * share;
    match.text[position] = (match.text[position] ?? 0) / scale;
  }
  nameShares(corpus, terms, match);
  return match;
}

const NONE: Hits = { files: [], counts: [] };

function rarityOf(corpus: Corpus, inText: Hits = NONE, onPath: Hits = NONE): number {
  const holders = sizeOfUnion(inText.files, onPath.files);
  // In a clone without contents only paths can match.
  const all = Math.max(corpus.texts, holders);
  return Math.log(1 + (all - holders + 0.5) / (holders + 0.5));
}

/** The size of the union of two sorted lists. */
function sizeOfUnion(a: readonly number[], b: readonly number[]): number {
  let both = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const left = a[i] ?? 0;
    const right = b[j] ?? 0;
    if (left === right) both += 1;
    if (left <= right) i += 1;
    if (right <= left) j += 1;
  }
  return a.length + b.length - both;
}

function nameShares(corpus: Corpus, terms: SearchTerms, match: WordMatch): void {
  const inTitle = termsOf(terms.title);
  const inText = termsOf(`${terms.prose}\n${terms.code}\n${terms.symbols.join(" ")}`);
  const seen = new Uint8Array(corpus.files.length);
  for (const { files } of match.paths) {
    for (const position of files) {
      if (seen[position] === 1) continue;
      seen[position] = 1;
      const own = corpus.files[position]?.nameTerms ?? [];
      let mentioned = 0;
      for (const term of own) mentioned += inTitle.has(term) ? 1 : inText.has(term) ? 0.5 : 0;
      // A name of one word is easily mentioned by chance.
      match.name[position] = own.length === 0 ? 0 : (mentioned / own.length) * (Math.min(2, own.length) / 2);
    }
  }
}
