import type { Corpus, Hits } from "../index/corpus.ts";
import { termsOf } from "../index/terms.ts";
import type { SearchTerms, SearchWords } from "./query.ts";

/** How well each file matches the words of an issue, relative to a file that has all of them. */
export interface WordMatch {
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
export function matchWords(
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
    for (const [index, position] of files.entries()) {
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
  const positions = new Set(match.paths.flatMap((hit) => hit.files));
  for (const position of positions) {
    const own = corpus.files[position]?.nameTerms ?? [];
    let mentioned = 0;
    for (const term of own) mentioned += inTitle.has(term) ? 1 : inText.has(term) ? 0.5 : 0;
    // A name of one word is easily mentioned by chance.
    match.name[position] = own.length === 0 ? 0 : (mentioned / own.length) * (Math.min(2, own.length) / 2);
  }
}
