import type { OpenIndex } from "../index/explorer.ts";
import { baseName } from "../index/path-index.ts";
import { type Term, termsOf } from "../index/terms.ts";
import type { Reason } from "./reasons.ts";

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

/** A file one import away from another. */
export interface ImportNeighbour {
  path: string;
  /** The file that it is next to, one of those asked for. */
  of: string;
  /** `imports`: it imports `of`. `imported`: `of` imports it. */
  why: "imports" | "imported";
}

/** Files whose imports are read to find those that import one file. */
const IMPORTERS_READ = 120;
/** Names of files that imports call by their folder. */
const FOLDER_ENTRY = /^(?:index|mod|lib|main|__init__|init|package)$/i;

/**
 * The code files one import away from `paths`, in both directions (R-EXP-2), without `paths` themselves: first those
 * that the first path imports, in the order of its imports, then those that import it, the nearest folders first; then
 * those of the second path, and so on. A file may come several times, once for each file that it is next to. Importers
 * of a file whose name is everywhere are not all found: only the nearest 120 candidates are read. Unknown paths have no
 * neighbours.
 */
export async function importNeighbours(index: OpenIndex, paths: readonly string[]): Promise<ImportNeighbour[]> {
  const asked = new Set(paths);
  const isCode = (path: string) => !asked.has(path) && index.file(path)?.role === "source";
  const neighbours: ImportNeighbour[] = [];
  const candidates = mayImport(index, paths);
  for (const [at, of] of paths.entries()) {
    const imported = new Set((await index.imports(of)).flatMap(({ files }) => files));
    for (const path of imported) if (isCode(path)) neighbours.push({ path, of, why: "imported" });
    const near = (candidates[at] ?? []).filter((path) => path !== of && isCode(path));
    for (const path of near.slice(0, IMPORTERS_READ)) {
      const sites = await index.imports(path);
      if (sites.some(({ files }) => files.includes(of))) neighbours.push({ path, of, why: "imports" });
    }
  }
  return neighbours;
}

/** For each path, the files whose text names it, those of near folders first. */
function mayImport(index: OpenIndex, paths: readonly string[]): string[][] {
  const terms = paths.map(importedAs);
  const hits = index.corpus.search(terms);
  return paths.map((path, at) =>
    terms[at] === NO_TERM
      ? []
      : (hits[at]?.files ?? [])
          .map((position) => index.corpus.files[position]?.path ?? "")
          .map((other) => ({ other, near: sharedFolders(path, other) }))
          .toSorted((a, b) => b.near - a.near || (a.other < b.other ? -1 : 1))
          .map(({ other }) => other),
  );
}

const NO_TERM: Term = 0;

/** The name by which imports refer to a file: its own, or its folder's if its own is generic. */
function importedAs(path: string): Term {
  const name = baseName(path).replace(/\..*$/, "");
  const said = FOLDER_ENTRY.test(name) ? (path.split("/").at(-2) ?? name) : name;
  return [...termsOf(said)].at(-1) ?? NO_TERM;
}

/** How many leading folders two paths have in common. */
function sharedFolders(a: string, b: string): number {
  const [one, other] = [a.split("/"), b.split("/")];
  let shared = 0;
  while (shared < one.length - 1 && one[shared] === other[shared]) shared += 1;
  return shared;
}
