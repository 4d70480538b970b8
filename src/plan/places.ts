import type { IssueReading } from "../domain/issue-text/issue-reading.ts";
import type { CodeSymbol } from "../code/code-index.ts";
import type { OpenIndex } from "../code/index/explorer.ts";
import { symbolAt } from "../code/outline/outline.ts";
import { isPinpointed, locate, type Located } from "../code/search/rank-files.ts";
import { searchTerms, sparing } from "../code/search/query.ts";
import { symbolsAmong } from "../domain/statements/places-meant.ts";
import { isSamePath, saidLines, within, type LineRange } from "./line-range.ts";

/** The known details of a file that will change. */
export interface PlaceInCode {
  range: LineRange | null;
  /** The symbol that the issue is about, as spelled in the code. */
  symbol: string | null;
}

/** A longer symbol is useless as a pointer. */
const LONGEST_SYMBOL = 80;

/**
 * The files that the explorer finds for an issue, with no place in symbols that nobody is to touch; none if there is no
 * code.
 */
export async function locatedFor(
  reading: IssueReading,
  forbidden: readonly string[],
  index: OpenIndex | null,
): Promise<Located[]> {
  return index === null ? [] : await locate(index, sparing(searchTerms(reading), symbolsAmong(forbidden)));
}

/**
 * The place in a file that is to change (R-FIX-5): a verified one (R-FIX-9), lines that the issue names, or the symbol
 * found by the explorer.
 */
export async function placeIn(
  path: string,
  given: {
    reading: IssueReading;
    located: readonly Located[];
    index: OpenIndex | null;
    alone: boolean;
    known: readonly { path: string; start: number; end: number }[];
  },
): Promise<PlaceInCode> {
  const { reading, index, alone } = given;
  const length = index === null ? null : await index.repository.lines(path);
  const verified = given.known.find((each) => each.path === path && within(each.start, each.end, length) !== null);
  if (verified !== undefined) return await around(verified, index);
  const text = `${reading.title}\n${reading.text}`;
  const frame = reading.traces.flatMap(({ frames }) => frames).find((each) => isSamePath(each.path, path));
  const framed = frame === undefined ? null : within(frame.line, frame.line, length);
  const said =
    index !== null && length === null
      ? null
      : (saidLines(path, { places: reading.facts.places, text, alone, length }) ?? framed);
  const found = given.located.find((each) => each.path === path && isPinpointed(each));
  const [line] = found?.lines ?? [];
  const symbol = line === undefined ? null : innermost(found?.symbols ?? [], line.line, line.line);
  const ofSymbol =
    symbol === null ? within(line?.line ?? null, line?.line ?? null, length) : within(symbol.start, symbol.end, length);
  return { range: said ?? ofSymbol, symbol: symbol?.name ?? null };
}

/** The symbol around verified lines, and the lines of it where only one of them was verified. */
async function around(
  { path, start, end }: { path: string; start: number; end: number },
  index: OpenIndex | null,
): Promise<PlaceInCode> {
  const symbol = innermost(index === null ? [] : await index.outline(path), start, end);
  const range: LineRange = symbol !== null && start === end ? [symbol.start, symbol.end] : [start, end];
  return { range, symbol: symbol?.name ?? null };
}

/** The smallest symbol that holds the lines, unless it is too long to point at them. */
function innermost(symbols: readonly CodeSymbol[], start: number, end: number): CodeSymbol | null {
  const symbol = symbolAt(symbols, start);
  if (symbol === null || symbol.end < end || symbol.end - symbol.start >= LONGEST_SYMBOL) return null;
  return symbol.kind === "heading" || symbol.kind === "element" ? null : symbol;
}
