import type { OpenIndex } from "../index/explorer.ts";
import type { Reason } from "./score.ts";

/** A file by its position in the corpus, and how much speaks for it. */
export interface Scored {
  position: number;
  score: number;
}

/** What a file gains from its neighbours, and why. */
export interface Gain {
  worth: number;
  reason: Reason;
}

/** So many of the best files lend to their neighbours. */
const LENDERS = 8;
/** So many are looked at as neighbours of those. */
const LOOKED_AT = 20;
/** Small, since a neighbour alone says little: it decides between files that are close. */
const SHARE = 0.05;

/**
 * What the best files lend to those that they import and that import them: a fix seldom stands alone. Less for each of
 * many imports, less for each further lender. (What tests import was tried the same way, and made answers worse.)
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
  const ranks = new Map(code.slice(0, LENDERS).map(({ position }, rank) => [position, rank]));
  for (const [rank, { position, score }] of code.slice(0, LOOKED_AT).entries()) {
    const imported = await importsOf(position);
    const share = SHARE / Math.sqrt(imported.length);
    for (const other of imported) {
      if (rank < LENDERS) give(other, (share * score) / (1 + rank), { kind: "imported", by: pathOf(position) });
      const lender = ranks.get(other);
      if (lender === undefined) continue;
      give(position, (share * (code[lender]?.score ?? 0)) / (1 + lender), { kind: "imports", path: pathOf(other) });
    }
  }
  return gains;
}
