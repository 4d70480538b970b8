import type { OpenIndex } from "../index/explorer.ts";
import type { Evidence } from "./evidence.ts";
import { MatchedLines } from "./matched-lines.ts";
import type { Scored } from "./neighbours.ts";
import { isCallable } from "./pieces.ts";

/** How many of the best files are read: what stands below is no first place to look at. */
const FILES = 6;
/** Places that a file falls at most: it belongs to what it documents. */
const FALL = 3;
/** Just behind another file. */
const BEHIND = 0.999;
/** A smaller share is what most documented code has. Measured on issues with known fixes. */
const USUAL = 0.5;
/** Share of its score that a file loses whose comments alone match; also one that only declares types. */
const LOSS = 0.5;
/** Occurrences beyond the first few of a word add little, as in `evidence.ts`. */
const K1 = 1.2;

/**
 * The scores of files that speak of the issue in their comments rather than in their code, by position: what documents a
 * rule is not where it is broken (R-EXP-2). Files that the issue points at keep theirs.
 */
export async function lowerForComments(
  index: OpenIndex,
  evidence: Evidence,
  best: readonly Scored[],
): Promise<Map<number, number>> {
  const lower = new Map<number, number>();
  for (const [rank, { position, score }] of best.slice(0, FILES).entries()) {
    const file = index.files[position];
    const content = evidence.direct.has(position) || file === undefined ? null : await index.content(position);
    if (content === null || file === undefined) continue;
    const told = toldShare(content, evidence);
    if (told <= USUAL) continue;
    const works = (await index.outline(file.path)).some(isCallable);
    const loss = LOSS * (works ? (told - USUAL) / (1 - USUAL) : 1);
    lower.set(position, Math.max(score * (1 - loss), (best[rank + FALL]?.score ?? 0) * BEHIND));
  }
  return lower;
}

/** The share of the match with an issue's words that a text would lose without its comments. */
function toldShare(content: Buffer, evidence: Evidence): number {
  const lines = new MatchedLines(content, evidence, undefined);
  const all = new Map<number, number>();
  const inCode = new Map<number, number>();
  for (const line of lines.between(1, lines.count)) {
    const isCode = lines.isPlace(line);
    for (const word of lines.on(line)?.words ?? []) {
      all.set(word, (all.get(word) ?? 0) + 1);
      if (isCode) inCode.set(word, (inCode.get(word) ?? 0) + 1);
    }
  }
  const worth = (counts: ReadonlyMap<number, number>) => {
    let sum = 0;
    for (const [word, count] of counts)
      sum +=
        (count / (count + K1)) *
        (evidence.words.words[word]?.weight ?? 0) *
        Math.max(0, evidence.match.rarity[word] ?? 0);
    return sum;
  };
  const total = worth(all);
  return total === 0 ? 0 : 1 - worth(inCode) / total;
}
