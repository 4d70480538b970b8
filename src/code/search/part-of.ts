import type { CodeSymbol } from "../code-index.ts";
import { symbolAt } from "../outline/outline.ts";
import type { MatchedLines } from "./matched-lines.ts";

/** Lines of a text that belong together, as their indentation shows. Both ends included, from 1. */
export interface Part {
  /** Of the symbol that it is a part of; in none, the beginning of its first line. */
  name: string;
  start: number;
  end: number;
}

/** A longer symbol says little about a place in it: one of its parts is shown as well. */
const LONG = 120;
const LONGEST_PART = 60;
/** Of more lines that follow one another without a gap, so many are shown. */
const LONGEST_CUT = 40;
const LONGEST_HEADER = 6;
const NAME_SHOWN = 60;
const CLOSES = /^(?:[)\]}]|end\b|<\/)/;

/**
 * The part around a line that is in no symbol, or in a long one: the largest statement of at most 60 lines that the line
 * is in, with what stands next to it without an empty line between. It contains the line, stays within the symbol, and takes
 * in no other symbol from beside it. Null in a symbol that is short, for an empty line, and for the header of a symbol.
 */
export function partOf(lines: MatchedLines, outline: readonly CodeSymbol[], line: number): Part | null {
  const symbol = symbolAt(outline, line);
  if (symbol !== null && symbol.end - symbol.start < LONG) return null;
  const within = symbol === null ? { start: 1, end: lines.count } : bodyOf(lines, symbol);
  if (line < within.start || line > within.end || lines.indentation(line) === null) return null;
  let part = statementAt(lines, line, within.end) ?? { start: line, end: line };
  for (let head = headOf(lines, line, within.start); head !== null; head = headOf(lines, head, within.start)) {
    const around = statementAt(lines, head, within.end);
    if (around === null || around.end < part.end) break;
    part = around;
  }
  const { start, end } = withNeighbours(
    lines,
    part,
    (near) => isWithin(near, within) && symbolAt(outline, near) === symbol,
  );
  return { name: symbol?.name ?? lines.beginning(start, NAME_SHOWN), start, end };
}

interface Span {
  start: number;
  end: number;
}

/** A symbol without its header: its first line, and those before the first that is deeper, such as decorators. */
function bodyOf(lines: MatchedLines, { start, end }: CodeSymbol): Span {
  const depth = lines.indentation(start) ?? 0;
  for (let line = start + 1; line <= start + LONGEST_HEADER; line += 1) {
    const own = lines.indentation(line);
    if (own === null) break;
    if (own > depth) return { start: line, end: Math.min(end, lines.count) };
  }
  return { start: start + 1, end: Math.min(end, lines.count) };
}

/** A line with the deeper ones below it, and with what closes it; null if these are too many. */
function statementAt(lines: MatchedLines, start: number, to: number): Span | null {
  const depth = lines.indentation(start) ?? 0;
  let end = start;
  for (let line = start + 1; line <= to; line += 1) {
    // Empty lines may go on for long.
    if (line - start > 2 * LONGEST_PART) return null;
    const own = lines.indentation(line);
    if (own === null) continue;
    if (own < depth || (own === depth && !CLOSES.test(lines.beginning(line, NAME_SHOWN)))) break;
    end = line;
    if (!isShort({ start, end })) return null;
    if (own === depth) break;
  }
  return { start, end };
}

/** The line that begins what is around a line: the next less deep one above. */
function headOf(lines: MatchedLines, line: number, from: number): number | null {
  const depth = lines.indentation(line) ?? 0;
  for (let above = line - 1; above >= Math.max(from, line - LONGEST_PART); above -= 1) {
    const own = lines.indentation(above);
    if (own !== null && own < depth) return above;
  }
  return null;
}

/** With the lines that follow one another around a statement: all of them or, around a line, as many above as below. */
function withNeighbours(lines: MatchedLines, part: Span, isNear: (line: number) => boolean): Span {
  const depth = lines.indentation(part.start) ?? 0;
  const joins = (line: number) => (lines.indentation(line) ?? -1) >= depth && isNear(line);
  const grown = (most: number): Span => {
    let { start, end } = part;
    for (let grows = true; grows && end - start + 1 < most;) {
      grows = false;
      if (joins(end + 1)) {
        end += 1;
        grows = true;
      }
      if (end - start + 1 < most && joins(start - 1)) {
        start -= 1;
        grows = true;
      }
    }
    return { start, end };
  };
  const whole = grown(LONGEST_PART);
  if (!joins(whole.start - 1) && !joins(whole.end + 1)) return whole;
  // A statement of several lines stands for itself.
  return part.end > part.start ? part : grown(LONGEST_CUT);
}

function isShort({ start, end }: Span): boolean {
  return end - start < LONGEST_PART;
}

function isWithin(line: number, { start, end }: Span): boolean {
  return start <= line && line <= end;
}
