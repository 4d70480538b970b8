import type { Corpus } from "../index/corpus.ts";
import type { RecentCommit } from "../index/recent-commits.ts";
import type { SearchWords } from "./query-words.ts";

/** Larger commits are renames, formats, releases. */
const MOST_PATHS = 30;
/** One word, however heavy, is not the whole of a message. */
const MOST_WEIGHT = 9;
/** Keeps short messages from counting as wholly about their one word. */
const SMALLEST_MESSAGE = 20;
const UNIT = 5;

/** How much of what recent commits said about the same things they did in each file, by position. */
export function matchHistory(corpus: Corpus, { words }: SearchWords): Float64Array {
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
