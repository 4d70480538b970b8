import type { CodeSymbol } from "../code-index.ts";

/** A part of a file that is scored as a whole: a symbol, or lines between symbols. Both ends included, from 1. */
export interface Piece {
  symbol: CodeSymbol | null;
  from: number;
  to: number;
}

const CALLABLE: ReadonlySet<string> = new Set(["function", "method", "constructor", "macro", "rule"]);
/** Lines between symbols are cut into pieces of this length. */
const LOOSE_LINES = 30;
/** A function longer than this, with others inside, is no piece; the inner ones are. */
const LONGEST = 400;
/** Symbols of one file that are scored; bounds the time for files that were made to be slow. */
const MOST_PIECES = 3_000;
/** Fields of at most this many lines are no pieces of their own. */
const FIELD_LINES = 2;

export function isCallable({ kind }: CodeSymbol): boolean {
  return CALLABLE.has(kind);
}

/**
 * Splits a text with that many lines into pieces. A class with methods is not a piece; its methods are, and so are the
 * lines between them. A function inside another one is a piece of its own, and also part of the other.
 */
export function piecesOf(lines: number, outline: readonly CodeSymbol[]): Piece[] {
  const symbols = outline.filter((one) => !isField(one));
  const pieces: Piece[] = [];
  const covered = new Uint8Array(lines + 2);
  for (const [at, symbol] of symbols.entries()) {
    const next = symbols[at + 1];
    const holdsOthers = next !== undefined && next.start >= symbol.start && next.end <= symbol.end;
    if (holdsOthers && (!isCallable(symbol) || symbol.end - symbol.start > LONGEST)) continue;
    if (symbol.start > lines || pieces.length === MOST_PIECES) break;
    pieces.push({ symbol, from: symbol.start, to: Math.min(lines, symbol.end) });
    covered.fill(1, symbol.start, symbol.end + 1);
  }
  for (let line = 1; line <= lines;) {
    if (covered[line] === 1) {
      line += 1;
      continue;
    }
    const from = line;
    while (line <= lines && covered[line] !== 1 && line - from < LOOSE_LINES) line += 1;
    pieces.push({ symbol: null, from, to: line - 1 });
  }
  return pieces;
}

function isField({ kind, container, start, end }: CodeSymbol): boolean {
  return container !== null && ["property", "constant", "variable"].includes(kind) && end - start < FIELD_LINES;
}
