import type { CodeSymbol } from "../code-index.ts";
import type { MatchedLines } from "./matched-lines.ts";

/** Lines of a text that belong together, as their indentation shows. Both ends included, from 1. */
export interface Part {
  /** Of the symbol that it is a part of; in none, its first line. */
  name: string;
  start: number;
  end: number;
}

/** A longer symbol says little about a place in it: one of its parts is shown as well. */
const LONG = 120;
const LONGEST_PART = 60;
const NAME_SHOWN = 60;
const CLOSES = /^(?:[)\]}]|end\b|<\/)/;

/**
 * The part around a line that is in no symbol, or in a long one: the statement that begins at the line or around it, the
 * largest of at most 60 lines, with what stands next to it without an empty line between. Null in a symbol that is short.
 */
export function partOf(lines: MatchedLines, line: number, symbol: CodeSymbol | null): Part | null {
  if (symbol !== null && symbol.end - symbol.start < LONG) return null;
  // The first line of a symbol is not a part, but all of it.
  const [from, to] = symbol === null ? [1, lines.count] : [symbol.start + 1, Math.min(symbol.end, lines.count)];
  if (line < from || line > to || lines.text(line) === "") return null;
  let part = statementAt(lines, line, to);
  if (!isShort(part)) part = { start: line, end: line };
  for (let head = headOf(lines, line, from); head !== null; head = headOf(lines, head, from)) {
    const around = statementAt(lines, head, to);
    if (!isShort(around)) break;
    part = around;
  }
  const { start, end } = withNeighbours(lines, part, { from, to });
  return { name: symbol?.name ?? lines.text(start).slice(0, NAME_SHOWN), start, end };
}

interface Span {
  start: number;
  end: number;
}

/** A line with the deeper ones below it, and with what closes it. */
function statementAt(lines: MatchedLines, start: number, to: number): Span {
  const depth = lines.indentation(start) ?? 0;
  let end = start;
  // One line more than it may have: then it is too long.
  for (let line = start + 1; line <= Math.min(to, start + LONGEST_PART); line += 1) {
    const own = lines.indentation(line);
    if (own === null) continue;
    if (own <= depth) return own === depth && CLOSES.test(lines.text(line)) ? { start, end: line } : { start, end };
    end = line;
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

function withNeighbours(lines: MatchedLines, part: Span, { from, to }: { from: number; to: number }): Span {
  const depth = lines.indentation(part.start) ?? 0;
  const isNeighbour = (line: number) => (lines.indentation(line) ?? -1) >= depth;
  let { start, end } = part;
  while (start > from && isNeighbour(start - 1) && isShort({ start: start - 1, end })) start -= 1;
  while (end < to && isNeighbour(end + 1) && isShort({ start, end: end + 1 })) end += 1;
  return { start, end };
}

function isShort({ start, end }: Span): boolean {
  return end - start < LONGEST_PART;
}
