import type { CodeSymbol } from "../code-index.ts";
import { symbolAt } from "../outline/outline.ts";
import type { MatchedLines } from "./matched-lines.ts";

/** Lines of a text that belong together, as their indentation shows. Both ends included, from 1. */
export interface Part {
  /** The name of the symbol around it; without one, the beginning of its first line. */
  name: string;
  start: number;
  end: number;
}

/** A symbol with more lines says little about a place in it, so a part of it is shown as well. */
const LONG = 120;
const LONGEST_PART = 60;
/** If more adjacent lines belong together, only this many around the line are shown. */
const LONGEST_CUT = 40;
const LONGEST_HEADER = 6;
const NAME_SHOWN = 60;
const CLOSES = /^(?:[)\]}]|end\b|<\/)/;

/**
 * The part around a line that is in no symbol, or in a long one: the largest statement of at most 60 lines that
 * contains the line, plus adjacent statements without an empty line between. Stays within the symbol and contains no
 * other one. Null for a line in a short symbol, for an empty line, and for the header of a symbol.
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

/** The lines of a symbol after its header, which ends before the first line that is indented deeper. */
function bodyOf(lines: MatchedLines, { start, end }: CodeSymbol): Span {
  const depth = lines.indentation(start) ?? 0;
  for (let line = start + 1; line <= start + LONGEST_HEADER; line += 1) {
    const own = lines.indentation(line);
    if (own === null) break;
    if (own > depth) return { start: line, end: Math.min(end, lines.count) };
  }
  return { start: start + 1, end: Math.min(end, lines.count) };
}

/** A line with the deeper-indented lines below it and the line that closes it; null if these are too many. */
function statementAt(lines: MatchedLines, start: number, to: number): Span | null {
  const depth = lines.indentation(start) ?? 0;
  let end = start;
  for (let line = start + 1; line <= to; line += 1) {
    // There may be many empty lines.
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

/** The line that starts the block around a line: the nearest one above with less indentation. */
function headOf(lines: MatchedLines, line: number, from: number): number | null {
  const depth = lines.indentation(line) ?? 0;
  for (let above = line - 1; above >= Math.max(from, line - LONGEST_PART); above -= 1) {
    const own = lines.indentation(above);
    if (own !== null && own < depth) return above;
  }
  return null;
}

/** Adds adjacent lines to a statement: all of them, or, around a single line, as many above as below. */
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
  // A statement with several lines stays alone.
  return part.end > part.start ? part : grown(LONGEST_CUT);
}

function isShort({ start, end }: Span): boolean {
  return end - start < LONGEST_PART;
}

function isWithin(line: number, { start, end }: Span): boolean {
  return start <= line && line <= end;
}
