import type { Corpus } from "../index/corpus.ts";
import type { RecentCommit } from "../index/recent-commits.ts";
import type { SearchWords } from "./query.ts";

/** Larger commits are renames, reformatting and releases. */
const MOST_PATHS = 30;
/** Caps the weight of a single word. */
const MOST_WEIGHT = 9;
/** Keeps short messages from counting fully for a single word. */
const SMALLEST_MESSAGE = 20;
const UNIT = 5;

/** How strongly recent commits with the same words changed each file, by position. */
export function matchHistory(
  corpus: Corpus,
  { words }: SearchWords,
): {
  history: Float64Array;
  commits: ReadonlyMap<number, RecentCommit>;
} {
  const match = new Float64Array(corpus.files.length);
  const { commits, byTerm } = corpus.recent;
  const best = new Map<number, { commit: RecentCommit; value: number }>();
  const agreements = new Map<RecentCommit, number>();
  for (const { term, weight } of words) {
    const commitsWithTerm = byTerm.get(term) ?? [];
    const rarity = Math.log(1 + (commits.length - commitsWithTerm.length + 0.5) / (commitsWithTerm.length + 0.5));
    const value = Math.min(MOST_WEIGHT, weight) * rarity;
    for (const commit of commitsWithTerm) agreements.set(commit, (agreements.get(commit) ?? 0) + value);
  }
  for (const [commit, agreement] of agreements) {
    const { words: length, paths } = commit;
    if (paths.length > MOST_PATHS) continue;
    const sources = corpus.sourcesIn(commit);
    const each = agreement / Math.sqrt(SMALLEST_MESSAGE + length) / sources.length;
    for (const position of sources) {
      match[position] = (match[position] ?? 0) + each;
      if (each > (best.get(position)?.value ?? 0)) best.set(position, { commit, value: each });
    }
  }
  return {
    history: match.map((sum) => Math.log1p(sum / UNIT)),
    commits: new Map([...best].map(([position, { commit }]) => [position, commit])),
  };
}
