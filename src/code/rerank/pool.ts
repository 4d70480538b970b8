import type { OpenIndex } from "../index/explorer.ts";
import { importNeighbours } from "../search/neighbours.ts";
import type { SearchTerms } from "../search/query.ts";
import { locate, type Located, type Ranked } from "../search/rank-files.ts";
import { groupOf } from "../search/search-code.ts";
import type { FileAccess } from "../tools/file-access.ts";

/** A file that a model may place. */
export interface Candidate {
  file: Located;
  /** Its place among the code without a model, from 1; null for a file that only an import leads to. */
  offlineRank: number | null;
}

/**
 * Files of the search that a model always sees, further ones that it may see, and neighbours to choose from at most.
 */
export const FOUND = 20;
const FOLLOWING = 20;
const NEIGHBOURS = 60;
/** How many found files have their neighbours examined. */
const LINKED = 20;

/**
 * The code files that a model may place, the likeliest first: the first 20 files of the search, then the next 20, and
 * files one import away from the first ones (R-EXP-2). Leaves out files that no model may read.
 */
export async function poolOf(
  index: OpenIndex,
  terms: SearchTerms,
  located: readonly Located[],
  access: FileAccess,
): Promise<Candidate[]> {
  const isOpen = (path: string) => {
    const file = index.file(path);
    return file !== undefined && access.has(path) && access.statusOf(file) === "open";
  };
  const code = located.filter(isCode).slice(0, FOUND);
  const links = await linkedTo(code, index);
  const paths = [...links]
    .filter(([path]) => isOpen(path))
    .toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, NEIGHBOURS)
    .map(([path]) => path);
  const best = Math.max(1e-9, ...code.map(({ score }) => score));
  const worth = ({ path, score }: Located) => (links.get(path) ?? 0) + score / best;
  const first = new Set(code.map(({ path }) => path));
  const ranks = new Map<string, number>();
  const shown = (ranked: Ranked[], found: number) => {
    for (const [at, { path }] of ranked.slice(0, found).filter(isCode).entries()) ranks.set(path, at + 1);
    return ranked.filter((file) => isCode(file) && !first.has(file.path) && isOpen(file.path));
  };
  const others = (await locate(index, terms, { limit: FOUND + FOLLOWING, also: paths, shown })).toSorted(
    (a, b) => worth(b) - worth(a) || (a.path < b.path ? -1 : 1),
  );
  return [
    ...code.map((file, at) => ({ file, offlineRank: at + 1 })).filter(({ file }) => isOpen(file.path)),
    ...others.map((file) => ({ file, offlineRank: ranks.get(file.path) ?? null })),
  ];
}

function isCode({ role }: Ranked): boolean {
  return groupOf(role) === "code";
}

/**
 * How strongly other files are linked to those found: more for the imports of files that rank high, less if there are
 * many of them.
 */
async function linkedTo(code: readonly Located[], index: OpenIndex): Promise<Map<string, number>> {
  const ranks = new Map(code.slice(0, LINKED).map(({ path }, rank) => [path, rank]));
  const found = new Set(code.map(({ path }) => path));
  const links = new Map<string, number>();
  const neighbours = (await importNeighbours(index, [...ranks.keys()])).filter(({ path }) => !found.has(path));
  for (const alike of Map.groupBy(neighbours, ({ of, why }) => `${why} ${of}`).values()) {
    for (const { path, of } of alike) {
      const worth = 1 / ((1 + (ranks.get(of) ?? 0)) * Math.sqrt(alike.length));
      links.set(path, (links.get(path) ?? 0) + worth);
    }
  }
  return links;
}
