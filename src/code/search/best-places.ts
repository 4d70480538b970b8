import type { CodeSymbol } from "../code-index.ts";
import { symbolAt } from "../outline/outline.ts";
import type { DirectEvidence, Evidence } from "./evidence.ts";
import type { Asked } from "./query.ts";
import { MatchedLines } from "./matched-lines.ts";
import { type Part, partOf } from "./part-of.ts";
import { type Piece, piecesOf } from "./pieces.ts";
import { handled, type Reason } from "./reasons.ts";
import { PieceScores } from "./score-pieces.ts";

/** A line worth looking at. */
export interface RelevantLine {
  /** From 1. */
  line: number;
  /** Empty if the issue names a line that the file does not have. */
  text: string;
  why: Reason;
  /** The innermost symbol around it. */
  symbol: CodeSymbol | null;
  /** If there is no symbol, or only a long one: the lines that belong together around this one. */
  part: Part | null;
}

const PLACES_PER_FILE = 5;
const PIECES_TRIED = 50;
/** Lines within this distance count as the same place. */
const NEAR = 3;

/**
 * The places of a text that the issue is about, the best first (R-EXP-2): lines that the issue or a stack trace names,
 * then the best line of each of the best functions, then further lines of these.
 */
export function bestPlaces(
  evidence: Evidence,
  direct: DirectEvidence | undefined,
  content: Buffer,
  outline: readonly CodeSymbol[],
): { lines: RelevantLine[]; speaks: Reason | null; defines: ReadonlySet<string> } {
  const lines = new MatchedLines(content, evidence, direct);
  const pieces = piecesOf(lines.count, outline);
  const scores = new PieceScores(evidence, lines, pieces);
  const chosen: RelevantLine[] = [];
  const add = (line: number | null, why: Reason) => {
    if (line === null || chosen.length >= PLACES_PER_FILE) return;
    if (chosen.some((other) => Math.abs(other.line - line) < NEAR)) return;
    const symbol = symbolAt(outline, line);
    if (symbol !== null && evidence.spared.has(symbol.name)) return;
    chosen.push({ line, text: lines.text(line), why, symbol, part: partOf(lines, outline, line) });
  };
  const lineOf = (piece: Piece) => scores.bestLine(piece);
  const ranked = scores.ranked();
  const bestOf = (meant: readonly number[]) => {
    const isMeant = (line: number) => meant.includes(line);
    for (const piece of ranked) {
      const line = scores.linesOf(piece).find(isMeant) ?? meant.find((one) => piece.from <= one && one <= piece.to);
      if (line !== undefined) return line;
    }
    return meant[0] ?? null;
  };
  for (const { line, why } of pointedAt(direct, evidence.asked, { pieces, lineOf, bestOf }))
    add(codeAt(line, lines, pieces, lineOf), why);
  const apart: Piece[] = [];
  for (const piece of ranked.slice(0, PIECES_TRIED)) {
    if (chosen.length >= PLACES_PER_FILE) break;
    if (apart.some((other) => overlap(piece, other))) continue;
    apart.push(piece);
    const line = lineOf(piece);
    // An import is only worth showing if there is nothing else.
    if (line !== null && (chosen.length === 0 || !lines.isImport(line))) add(line, scores.why(line));
  }
  for (const line of apart.slice(0, 1).flatMap((piece) => scores.linesOf(piece))) add(line, scores.why(line));
  const [best] = apart;
  return { lines: chosen, speaks: best === undefined ? null : scores.speaks(best), defines: lines.definitions };
}

/** The symbols around lines, in the same order. */
export function symbolsAround(lines: readonly RelevantLine[]): CodeSymbol[] {
  return [...new Set(lines.map(({ symbol }) => symbol).filter((symbol) => symbol !== null))];
}

function overlap(one: Piece, other: Piece): boolean {
  return one.from <= other.to && other.from <= one.to;
}

/** The lines that the issue names, then those of stack traces, the innermost first, then those that handle what it names. */
function pointedAt(
  direct: DirectEvidence | undefined,
  asked: Asked,
  {
    pieces,
    lineOf,
    bestOf,
  }: {
    pieces: readonly Piece[];
    lineOf: (piece: Piece) => number | null;
    /** The one of several lines that fits the issue best. */
    bestOf: (lines: readonly number[]) => number | null;
  },
): { line: number | null; why: Reason }[] {
  const named = (direct?.named ?? [])
    .filter(({ certainty }) => certainty >= SURE)
    .map(({ line, as }) => ({ line, why: { kind: "named" as const, as, by: asked } }));
  const frames = (direct?.frames ?? [])
    .filter(({ certainty }) => certainty >= SURE)
    .toSorted((a, b) => a.depth - b.depth)
    .map(({ line, symbol, depth }) => ({
      line: lineOfFrame(line, symbol, pieces, lineOf),
      why: { kind: "frame" as const, symbol, line, depth },
    }));
  const handles = (direct?.handles ?? [])
    .toSorted((a, b) => b.certainty - a.certainty)
    .map(({ line, others = [], as, how = "handles" }) => ({
      line: line === null || others.length === 0 ? line : bestOf([line, ...others]),
      why: handled(how, as, asked),
    }));
  return [...named, ...frames, ...handles];
}

const SURE = 0.5;

/** A line that is named in another version may be a comment or a brace here: then the best line of the function around it. */
function codeAt(
  line: number | null,
  lines: MatchedLines,
  pieces: readonly Piece[],
  lineOf: (piece: Piece) => number | null,
): number | null {
  if (line === null || line > lines.count || lines.isPlace(line)) return line;
  const around = pieces.filter(({ from, to, symbol }) => symbol !== null && from <= line && line <= to);
  const [piece] = around.toSorted((a, b) => a.to - a.from - (b.to - b.from));
  if (piece === undefined || piece.symbol?.kind === "heading") return line;
  return lineOf(piece) ?? piece.from;
}

/** The line of a stack frame; if it is no longer in the frame's function, the best line of that function. */
function lineOfFrame(
  line: number | null,
  symbol: string | null,
  pieces: readonly Piece[],
  lineOf: (piece: Piece) => number | null,
): number | null {
  const name = symbol?.match(/[\p{L}\p{N}_$]+/gu)?.at(-1);
  const own = name === undefined ? [] : pieces.filter((piece) => piece.symbol?.name === name);
  const [only] = own;
  if (only === undefined || own.length > 1) return line;
  if (line !== null && only.from <= line && line <= only.to) return line;
  return lineOf(only) ?? only.from;
}
