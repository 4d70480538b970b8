import type { Place } from "../domain/issue-text/code-facts.ts";
import type { IssueReading } from "../domain/issue-text/issue-reading.ts";
import type { OpenIndex } from "../code/index/explorer.ts";
import { symbolAt } from "../code/outline/outline.ts";
import { isPinpointed, locate, type Located } from "../code/search/rank-files.ts";
import { searchTerms } from "../code/search/query.ts";
import { isSamePath, saidLines, within, type LineRange } from "./line-range.ts";

/** The known details of a file that will change. */
export interface PlaceInCode {
  range: LineRange | null;
  /** The symbol that the issue is about, as spelled in the code. */
  symbol: string | null;
}

/** A longer symbol is useless as a pointer. */
const LONGEST_SYMBOL = 80;

/** The files that the explorer finds for an issue; none if there is no code. */
export async function locatedFor(reading: IssueReading, index: OpenIndex | null): Promise<Located[]> {
  return index === null ? [] : await locate(index, searchTerms(reading));
}

/**
 * The place in a file that the issue points at (R-FIX-5): lines that it names, the line that a task of its spec cites, or
 * the symbol found by the explorer.
 */
export async function placeIn(
  path: string,
  given: {
    reading: IssueReading;
    /** Places that the spec's tasks cite. */
    cited: readonly Place[];
    located: readonly Located[];
    index: OpenIndex | null;
    alone: boolean;
  },
): Promise<PlaceInCode> {
  const { reading, cited, index, alone } = given;
  const length = index === null ? null : await index.repository.lines(path);
  const text = `${reading.title}\n${reading.text}`;
  const frame = reading.traces.flatMap(({ frames }) => frames).find((each) => isSamePath(each.path, path));
  const framed = frame === undefined ? null : within(frame.line, frame.line, length);
  const said =
    index !== null && length === null
      ? null
      : (saidLines(path, { places: reading.facts.places, text, alone, length }) ?? framed);
  const agreed = cited.find((place) => place.line !== null && place.path === path);
  const found = given.located.find((each) => each.path === path && isPinpointed(each));
  const line = agreed?.line ?? found?.lines[0]?.line ?? null;
  const outline = agreed && index !== null ? await index.outline(path) : (found?.symbols ?? []);
  const symbol = line === null ? null : symbolAt(outline, line);
  const named = symbol?.kind === "heading" || symbol?.kind === "element" ? null : symbol;
  const ofSymbol =
    named !== null && named.end - named.start < LONGEST_SYMBOL && (agreed?.endLine ?? null) === null
      ? within(named.start, named.end, length)
      : within(line, agreed?.endLine ?? line, length);
  return { range: said ?? ofSymbol, symbol: named?.name ?? null };
}
