import type { OpenIndex } from "../index/explorer.ts";
import type { Reason } from "./score.ts";

/** A file by its position in the corpus. */
export interface Scored {
  position: number;
  score: number;
}

/** The score that a file gains from its import neighbours, and why. */
export interface Gain {
  worth: number;
  reason: Reason;
}

/** How many of the best files raise their neighbours. */
const SOURCES = 8;
/** Files whose imports are followed. */
const CANDIDATES = 20;
/** Small, since a neighbour is weak evidence: it only decides between files of similar score. */
const SHARE = 0.05;

/**
 * The best files raise the score of files that they import or that import them, since fixes often span both. The gain
 * shrinks with the number of imports and the rank of the source. (Imports of tests made results worse when tried.)
 */
export async function gainsFrom(index: OpenIndex, code: readonly Scored[]): Promise<Map<number, Gain>> {
  const { corpus } = index;
  const gains = new Map<number, Gain>();
  const pathOf = (position: number) => corpus.files[position]?.path ?? "";
  const give = (to: number, worth: number, reason: Reason) => {
    const known = gains.get(to);
    if (known) known.worth += worth;
    else gains.set(to, { worth, reason });
  };
  const importsOf = async (position: number) => {
    const imports = await index.imports(pathOf(position));
    const files = new Set(imports.flatMap(({ files: found }) => found));
    return [...files].flatMap((path) => corpus.position(path) ?? []);
  };
  const ranks = new Map(code.slice(0, SOURCES).map(({ position }, rank) => [position, rank]));
  for (const [rank, { position, score }] of code.slice(0, CANDIDATES).entries()) {
    const imported = await importsOf(position);
    const share = SHARE / Math.sqrt(imported.length);
    for (const other of imported) {
      if (rank < SOURCES) give(other, (share * score) / (1 + rank), { kind: "imported", by: pathOf(position) });
      const sourceRank = ranks.get(other);
      if (sourceRank === undefined) continue;
      give(position, (share * (code[sourceRank]?.score ?? 0)) / (1 + sourceRank), {
        kind: "imports",
        path: pathOf(other),
      });
    }
  }
  return gains;
}
