import type { Place } from "../domain/issue-text/code-facts.ts";

export type LineRange = [number, number];

const LONGEST_FILE = 10_000_000;
const MOST_LINES_APART = 400;
const LINE_SAID =
  /(?<![\p{L}\p{N}_])(?:lines?|строк[аеиуі]?|рядо?к[ауи]?|zeilen?|l[ií]neas?|lignes?|linhas?|lini[aię]|riga|righe)\s+(?:no\.?\s*|#|№\s*)?(\d{1,7})(?:\s*(?:-|–|to|and|до|по|bis|a|à|do)\s*(\d{1,7}))?(?![\p{L}\p{N}_])|第?\s*(\d{1,7})\s*(?:行目?|번째\s*줄)/iu;

/**
 * The lines of a file that an issue points at (R-FIX-5): given next to its path, or in words if the issue is about a
 * single file. Null if nothing points at lines, and for lines that the file does not have.
 *
 * @param length number of lines of the file; null if unknown
 */
export function saidLines(
  path: string,
  { places, text, alone, length }: { places: readonly Place[]; text: string; alone: boolean; length: number | null },
): LineRange | null {
  const beside = places.filter((place) => place.line !== null && isSamePath(place.path, path));
  const ranges = beside.flatMap(({ line, endLine }) => {
    const range = within(line, endLine ?? line, length);
    return range === null ? [] : [range];
  });
  if (ranges.length > 0) return together(ranges);
  const said = alone ? LINE_SAID.exec(text.slice(0, 256 * 1024)) : null;
  if (said === null) return null;
  const first = Number(said[1] ?? said[3]);
  return within(first, said[2] === undefined ? first : Number(said[2]), length);
}

/** The range as it is; null if a file of that length does not have these lines. */
export function within(start: number | null, end: number | null, length: number | null): LineRange | null {
  if (start === null || end === null || start < 1 || end < start) return null;
  return end > (length ?? LONGEST_FILE) ? null : [start, end];
}

/** Ranges far apart are not merged: the first one is the place to start. */
function together(ranges: readonly LineRange[]): LineRange {
  const start = Math.min(...ranges.map(([first]) => first));
  const end = Math.max(...ranges.map(([, last]) => last));
  const [first = [start, end]] = ranges;
  return end - start > MOST_LINES_APART ? first : [start, end];
}

/** Whether a path written by people means a file of the tree: traces and links prefix it with other folders. */
export function isSamePath(written: string, path: string): boolean {
  const plain = written.replaceAll("\\", "/").replace(/^\.?\//, "");
  return plain === path || path.endsWith(`/${plain}`) || (path.includes("/") && plain.endsWith(`/${path}`));
}
