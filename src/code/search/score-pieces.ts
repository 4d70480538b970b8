import type { Evidence } from "./evidence.ts";
import { type Reason, WORDS_SHOWN } from "./reasons.ts";
import { isCommonWord, isEveryday, tellingWords } from "./telling-words.ts";
import type { MatchedLines } from "./matched-lines.ts";
import { type Piece, isCallable } from "./pieces.ts";

/** Tuned on the development split and on past commits of other repositories, with each half held out once. */
const K1 = 1;
const B = 0.75;
/** Rare words count more for a function than for a file. */
const RARITY = 1.25;
/** The best consecutive lines count as much as all the rest of a function. */
const WINDOW = 5;
/** Multiples of the strongest word's worth. */
const ASKED_NAME = 3;
const MESSAGE = 8;
const MESSAGE_LINE = 40;
/** A function longer than this says little about the place. */
const LONG = 120;
const SHORTEST = 8;
const NO_FUNCTION = 0.6;
const ONE_LINER = 0.7;
const OF_TESTS = 0.1;
const EVERYDAY = 0.1;
/** The line that only names a function is seldom the relevant one. */
const HEADER = 0.3;
/** How much nearby lines count for a line, by distance. */
const NEARBY = [1, 0.5, 0.25, 0.125, 0.0625];

/** How well pieces of a text match the words, messages and names of an issue. */
export class PieceScores {
  readonly #evidence: Evidence;
  readonly #lines: MatchedLines;
  readonly #pieces: readonly Piece[];
  /** Worth of each word of the issue in this text: its weight, times its rarity among files and among pieces. */
  readonly #worth: number[];
  readonly #strongest: number;
  readonly #counts = new Map<Piece, Map<number, number>>();
  readonly #averageLength: number;
  /** The comments that lines of code were chosen for. */
  readonly #standsFor = new Map<number, number>();

  constructor(evidence: Evidence, lines: MatchedLines, pieces: readonly Piece[]) {
    this.#evidence = evidence;
    this.#lines = lines;
    this.#pieces = pieces;
    const holders = new Map<number, number>();
    for (const piece of pieces) {
      const counts = this.#count(piece);
      this.#counts.set(piece, counts);
      for (const word of counts.keys()) holders.set(word, (holders.get(word) ?? 0) + 1);
    }
    const amongFiles = evidence.words.words.map(
      ({ weight }, at) => weight * Math.max(0, evidence.match.rarity[at] ?? 0) ** RARITY,
    );
    this.#strongest = Math.max(1, ...amongFiles);
    this.#worth = amongFiles.map((value, word) => {
      const holding = holders.get(word) ?? 0;
      return value * (BASE + Math.log(1 + (pieces.length - holding + 0.5) / (holding + 0.5)));
    });
    this.#averageLength = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0) / Math.max(1, pieces.length);
  }

  /** The pieces that match, the best first. */
  ranked(): Piece[] {
    return this.#pieces
      .map((piece) => ({ piece, score: this.#score(piece) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score || a.piece.from - b.piece.from)
      .map(({ piece }) => piece);
  }

  /** The line of a piece that scores best together with its nearby lines; `null` if none matches. */
  bestLine(piece: Piece): number | null {
    return this.linesOf(piece)[0] ?? null;
  }

  /** The matching lines of a piece, the best first; never a comment, docstring or lone brace where there is code. */
  linesOf(piece: Piece): number[] {
    const scores = new Map(this.#lines.between(piece.from, piece.to).map((line) => [line, this.#scoreOfLine(line)]));
    const own = (line: number) => scores.get(line) ?? 0;
    const found: { line: number; score: number }[] = [];
    for (const line of scores.keys()) {
      if (own(line) === 0 || this.#lines.text(line) === "") continue;
      let score = own(line) * (piece.symbol?.start === line && lengthOf(piece) > 1 ? HEADER : 1);
      for (let away = 1; away < NEARBY.length; away += 1)
        score += (NEARBY[away] ?? 0) * (own(line - away) + own(line + away));
      found.push({ line, score });
    }
    const ranked = found.toSorted((a, b) => b.score - a.score || a.line - b.line).map(({ line }) => line);
    return piece.symbol?.kind === "heading"
      ? ranked
      : [...new Set(ranked.map((line) => this.#codeBeside(line, piece)))];
  }

  /** The code that a comment, docstring or lone brace stands before, else the code before it; the line itself if there is none. */
  #codeBeside(line: number, { from, to }: Piece): number {
    const lines = [...range(line, to), ...range(from, line - 1).toReversed()];
    const code = lines.find((one) => this.#lines.isPlace(one)) ?? line;
    if (this.#lines.on(code) === undefined) this.#standsFor.set(code, line);
    return code;
  }

  /** The reason why a line was chosen. */
  why(line: number): Reason {
    const matched = this.#lines.on(this.#standsFor.get(line) ?? line) ?? { ...NOTHING, defines: null };
    if (matched.message !== null) return { kind: "message", text: matched.message };
    if (matched.defines !== null) return { kind: "defines", symbol: matched.defines };
    return { kind: "words", words: this.#textsOf(matched.words), symbol: null };
  }

  /** The words that a piece has in common with the issue, as a reason. */
  speaks(piece: Piece): Reason {
    const shared = [...(this.#counts.get(piece)?.keys() ?? [])];
    const isVague = shared.every((word) => this.#isCommon(word));
    return { kind: "words", words: this.#textsOf(shared), symbol: piece.symbol?.name ?? null, isVague };
  }

  #isCommon(word: number): boolean {
    const { match, words, history, own } = this.#evidence;
    const holders = match.texts[word]?.files.length ?? 0;
    const text = words.words[word]?.text ?? "";
    return isEveryday(text) || own.has(text) || isCommonWord(holders, history.length);
  }

  /** The most distinctive of these words. */
  #textsOf(words: Iterable<number>): string[] {
    const ranked = [...words].toSorted((a, b) => (this.#worth[b] ?? 0) - (this.#worth[a] ?? 0));
    const texts = ranked.map((word) => this.#evidence.words.words[word]?.text ?? "");
    const telling = texts.filter((text) => !this.#evidence.own.has(text));
    return tellingWords(telling.length > 0 ? telling : texts, WORDS_SHOWN);
  }

  #score(piece: Piece): number {
    const { symbol } = piece;
    const length = lengthOf(piece);
    const norm = 1 - B + B * (length / Math.max(SHORTEST, this.#averageLength));
    let score = this.#bestWindow(piece);
    for (const [word, count] of this.#counts.get(piece) ?? [])
      score += ((this.#worth[word] ?? 0) * count * (K1 + 1)) / (count + K1 * norm);
    if (this.#isEveryday(piece)) score *= EVERYDAY;
    if (symbol !== null && this.#evidence.words.symbols.includes(symbol.name)) score += ASKED_NAME * this.#strongest;
    if (this.#hasMessage(piece)) score += MESSAGE * this.#strongest;
    if (symbol === null || !isCallable(symbol)) score *= NO_FUNCTION;
    if (symbol !== null && (symbol.container === "tests" || symbol.name.startsWith("test_"))) score *= OF_TESTS;
    if (length > LONG) score *= Math.sqrt(LONG / length);
    return length <= 2 ? score * ONE_LINER : score;
  }

  /** Whether it shares only everyday words with the issue. */
  #isEveryday(piece: Piece): boolean {
    const words = [...(this.#counts.get(piece)?.keys() ?? [])];
    return words.every((word) => isEveryday(this.#evidence.words.words[word]?.text ?? ""));
  }

  /** The worth of the words in the best few consecutive lines. */
  #bestWindow({ from, to }: Piece): number {
    let best = 0;
    const matched = this.#lines.between(from, to);
    for (const [at, first] of matched.entries()) {
      const shares = new Map<number, number>();
      for (let next = at; next < matched.length; next += 1) {
        const line = matched[next] ?? 0;
        if (line >= first + WINDOW) break;
        const { words, share } = this.#lines.on(line) ?? NOTHING;
        for (const word of words) shares.set(word, Math.max(share, shares.get(word) ?? 0));
      }
      let sum = 0;
      for (const [word, share] of shares) sum += share * (this.#worth[word] ?? 0);
      best = Math.max(best, sum);
    }
    return best;
  }

  #scoreOfLine(line: number): number {
    const { words, share, message } = this.#lines.on(line) ?? NOTHING;
    let sum = 0;
    for (const word of words) sum += this.#worth[word] ?? 0;
    return sum * share + (message === null ? 0 : MESSAGE_LINE * this.#strongest);
  }

  #hasMessage({ from, to }: Piece): boolean {
    return this.#lines.between(from, to).some((line) => (this.#lines.on(line)?.message ?? null) !== null);
  }

  /** How often each word is in a piece. */
  #count({ from, to }: Piece): Map<number, number> {
    const counts = new Map<number, number>();
    for (const line of this.#lines.between(from, to)) {
      const { words, share } = this.#lines.on(line) ?? NOTHING;
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + share);
    }
    return counts;
  }
}

/** The worth of a word that all pieces contain. */
const BASE = 0.2;
const NOTHING = { words: new Set<number>(), share: 0, message: null };

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
}

function lengthOf({ from, to }: Piece): number {
  return to - from + 1;
}
