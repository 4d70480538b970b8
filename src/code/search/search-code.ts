import type { FileRole } from "../classify.ts";
import type { IndexedFile, Skipped } from "../code-index.ts";
import type { OpenIndex } from "../index/explorer.ts";
import { type Located, type SearchTerms, locate, reasonText } from "./rank-files.ts";

type FoundSymbol = FoundFile["symbols"][number];

interface FoundLine {
  line: number;
  text: string;
  why: string;
  symbol: string | null;
  part?: { start: number; end: number } | undefined;
}

/** One file of an answer, as `relay explore --json` prints it. */
export interface FoundFile {
  path: string;
  /** Comparable only within one answer. */
  score: number;
  /** In English, the strongest first. */
  reasons: string[];
  /**
   * The symbols around the lines, in the same order. If a symbol is long or missing, also the `part` around the line.
   */
  symbols: { name: string; kind: string; start: number; end: number }[];
  /** The best place first; `symbol` is the name of the innermost symbol around the line, `part` as in `symbols`. */
  lines: FoundLine[];
  role: FileRole;
  language: string | null;
  /**
   * If a model was asked for the order: the place in its group (code, tests, docs, others) without the model, from 1;
   * null for a file that only an import led to.
   */
  offline_rank?: number | null;
}

/** Files of one kind whose text was not searched. */
export interface SkippedFiles {
  reason: Skipped;
  files: number;
  /** Paths of a few. */
  examples: string[];
}

export interface CodeSearch {
  /** At most `limit`: code first, then others. */
  files: FoundFile[];
  /** A few tests and docs beyond the limit. */
  apart: FoundFile[];
  skipped: SkippedFiles[];
}

/** Files that the terms are about. */
export async function searchCode(index: OpenIndex, terms: SearchTerms, limit: number): Promise<CodeSearch> {
  const located = await locate(index, terms, {
    limit,
    shown: (ranked) => {
      const shares = shareOut(ranked, limit);
      return [...shares.chosen, ...shares.apart];
    },
  });
  const { chosen, apart } = shareOut(located, limit);
  return { files: chosen.map(foundFile), apart: apart.map(foundFile), skipped: skippedOf(index.files) };
}

/** A located file as answers show it. */
export function foundFile(file: Located): FoundFile {
  const { path, score, role, language } = file;
  const lines = file.lines.map(({ line, text, why, symbol, part }) => ({
    line,
    text,
    why: reasonText(why),
    symbol: symbol?.name ?? null,
    ...(part === null ? {} : { part: { start: part.start, end: part.end } }),
  }));
  const around = file.lines.flatMap(({ part, symbol }): FoundSymbol[] => [
    ...(part === null ? [] : [{ kind: PART, ...part }]),
    ...(symbol === null ? [] : [symbol]),
  ]);
  const once = new Map(
    around.map(({ name, kind, start, end }) => [`${kind} ${start} ${end}`, { name, kind, start, end }]),
  );
  return { path, score, reasons: file.reasons.map(reasonText), symbols: [...once.values()], lines, role, language };
}

/** The kind of an entry that is a part of a symbol or file. */
const PART = "part";

const EXAMPLES = 3;

/** The files that were not searched, by reason, the most frequent first. */
export function skippedOf(files: readonly IndexedFile[]): SkippedFiles[] {
  const byReason = new Map<Skipped, SkippedFiles>();
  for (const { path, skipped } of files) {
    if (skipped === null) continue;
    const all = byReason.get(skipped) ?? { reason: skipped, files: 0, examples: [] };
    all.files += 1;
    if (all.examples.length < EXAMPLES) all.examples.push(path);
    byReason.set(skipped, all);
  }
  return [...byReason.values()].toSorted((a, b) => b.files - a.files || (a.reason < b.reason ? -1 : 1));
}

/** A line of a file with its surroundings. */
export interface FoundPlace {
  line: number;
  text: string;
  symbol: FoundSymbol | null;
  /** Set if the symbol is long or missing. */
  part: { start: number; end: number } | null;
}

const PLACES_SHOWN = 3;

/** The places of a file that people are shown. */
export function placesShown({ lines, symbols }: Pick<FoundFile, "lines" | "symbols">): FoundPlace[] {
  return lines.slice(0, PLACES_SHOWN).map(({ line, text, symbol: name, part = null }) => {
    const around = symbols.filter(
      (one) => one.kind !== PART && one.name === name && one.start <= line && line <= one.end,
    );
    return { line, text, symbol: around.toSorted((a, b) => b.start - a.start)[0] ?? null, part };
  });
}

/** What is around a place, for people; null where nothing is known. */
export function aroundOf({ symbol, part }: Pick<FoundPlace, "symbol" | "part">, shown = (name: string) => name) {
  const lines = part ?? symbol;
  if (lines === null) return null;
  const range = lines.start === lines.end ? `line ${lines.start}` : `lines ${lines.start}-${lines.end}`;
  return symbol === null ? range : `${part === null ? "" : "in "}${symbol.kind} ${shown(symbol.name)}, ${range}`;
}

export type Group = "code" | "tests" | "docs" | "other";

/** The group of a file in the output. */
export function groupOf(role: FileRole): Group {
  switch (role) {
    case "source":
    case "config":
      return "code";
    case "test":
      return "tests";
    case "docs":
    case "example":
      return "docs";
    case "generated":
    case "vendored":
    case "minified":
    case "lock":
    case "asset":
      return "other";
    default:
      return role satisfies never;
  }
}

const TESTS_APART = 3;
const DOCS_APART = 2;

/**
 * Cuts an answer to `limit` files: all code first, then tests and docs if there is room left. The best tests and docs
 * that do not fit are returned separately.
 */
export function shareOut<T extends { role: FileRole }>(
  located: readonly T[],
  limit: number,
): { chosen: T[]; apart: T[] } {
  const of = (group: Group) => located.filter((file) => groupOf(file.role) === group);
  const chosen = [...of("code"), ...of("tests"), ...of("docs"), ...of("other")].slice(0, limit);
  const left = (group: Group, most: number) =>
    of(group)
      .slice(0, most)
      .filter((file) => !chosen.includes(file));
  return { chosen, apart: [...left("tests", TESTS_APART), ...left("docs", DOCS_APART)] };
}
