import { eachWord, tells } from "./words.ts";

/** What of an issue's text can be looked for in code. */
export interface SearchTerms {
  title: string;
  /** Text without code. */
  prose: string;
  /** Code blocks and output. */
  code: string;
  /** Frames of stack traces, the innermost first. */
  frames: readonly { path: string; line: number | null; symbol: string | null }[];
  places: readonly { path: string; line: number | null; endLine: number | null }[];
  /** Identifiers as written: `foo`, `Foo.bar`, `a::b`. */
  symbols: readonly string[];
  /** Messages as people saw them, with values filled in. */
  messages: readonly string[];
}

export interface SearchWords {
  weights: Map<string, number>;
  /** Identifiers in their own case, whose definitions are looked for. */
  symbols: Set<string>;
  /** The literal parts of messages. */
  messages: string[];
  /** What a file that agrees in every word could score, roughly; makes word scores comparable between issues. */
  scale: number;
}

const WORDS = 90;
const MESSAGES = 8;
const SYMBOLS = 40;

/** Chooses and weighs what to search for; bounded whatever the text's length. */
export function searchWords(terms: SearchTerms): SearchWords {
  const weights = new Map<string, number>();
  add(weights, terms.prose, 1, 3);
  add(weights, terms.code, 0.6, 1.5);
  add(weights, terms.symbols.join(" "), 1.5, 3);
  add(weights, terms.title, 8, 8);
  const chosen = [...weights]
    .toSorted((a, b) => b[1] - a[1] || b[0].length - a[0].length || (a[0] < b[0] ? -1 : 1))
    .slice(0, WORDS);
  const symbols = terms.symbols
    .flatMap((symbol) => symbol.split(/[.:#>-]+/))
    .filter((part) => /^[\p{L}_$][\p{L}\p{N}_$]{2,}$/u.test(part) && tells(part.toLowerCase()));
  const total = chosen.reduce((sum, [, weight]) => sum + weight, 0);
  return {
    weights: new Map(chosen),
    symbols: new Set(symbols.slice(0, SYMBOLS)),
    messages: [...new Set(terms.messages.map(literalPart))].filter((text) => text.length >= 10).slice(0, MESSAGES),
    scale: Math.max(1, total),
  };
}

/** Each text adds `once` for every occurrence of a word, up to `most`. */
function add(weights: Map<string, number>, text: string, once: number, most: number): void {
  const own = new Map<string, number>();
  eachWord(text.slice(0, 60_000), (word) => {
    if (tells(word)) own.set(word, Math.min(most, (own.get(word) ?? 0) + once));
  });
  for (const [word, weight] of own) weights.set(word, (weights.get(word) ?? 0) + weight);
}

/** The longest piece of a message without the values that the program put into it. */
function literalPart(message: string): string {
  const pieces = message
    .split(/["'`‘’“”«»<>{}[\]\r\n]|\b0x[0-9a-f]+\b|\d+(?:\.\d+)*|(?:[\w.-]*\/)+[\w.-]+|\$\w+|%[sdifvq]/i)
    .map((piece) => piece.trim().replace(/^[:;,.()\s-]+|[:;,(\s-]+$/g, ""));
  return pieces.reduce((best, piece) => (piece.length > best.length ? piece : best), "").slice(0, 120);
}
