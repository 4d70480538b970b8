import type { SearchReading } from "../../domain/issue-text/issue-reading.ts";
import type { Surface } from "../../domain/issue-text/surfaces.ts";
import { eachTerm, type Term } from "../index/terms.ts";

/** The kind of text that is searched for: an issue, a person's search, or a question about the code. */
export type Asked = "issue" | "words" | "question";

/** The parts of an issue's text that can be searched for in code. */
export interface SearchTerms {
  title: string;
  /** Parts of the code that the issue says it is about: components, packages, modules. Default none. */
  areas?: readonly string[];
  /** Text outside of code blocks. */
  prose: string;
  /** Code blocks and output. */
  code: string;
  /** Frames of stack traces, the innermost first. */
  frames: readonly { path: string; line: number | null; symbol: string | null }[];
  places: readonly { path: string; line: number | null; endLine: number | null }[];
  /** Identifiers as written: `foo`, `Foo.bar`, `a::b`. */
  symbols: readonly string[];
  /** Error messages as users saw them, with values filled in. */
  messages: readonly string[];
  /** What the issue names from outside: commands, routes, settings. */
  surfaces?: readonly Surface[];
  /** Symbols that must not change: no place inside them is shown. */
  spared?: readonly string[];
  /** Affects only the wording of reasons; an issue by default. */
  asked?: Asked;
}

/** The search terms of an issue. */
export function searchTerms(reading: SearchReading): SearchTerms {
  return {
    title: [...reading.areas.inTitle.filter((area) => !reading.title.includes(area)), reading.title].join(" "),
    areas: [...reading.areas.inTitle, ...reading.areas.elsewhere],
    prose: reading.prose,
    code: reading.code,
    frames: reading.traces.flatMap((trace) => trace.frames),
    places: reading.facts.places,
    symbols: reading.facts.symbols,
    messages: reading.facts.messages,
    surfaces: reading.facts.surfaces,
  };
}

/** The terms without symbols that nobody should touch: naming those would lead to them. */
export function sparing(terms: SearchTerms, symbols: readonly string[]): SearchTerms {
  if (symbols.length === 0) return terms;
  const isSpared = (name: string) => symbols.includes(name);
  const without = (text: string) => text.replaceAll(NAME, (name) => (isSpared(name) ? " " : name));
  return {
    ...terms,
    prose: without(terms.prose),
    symbols: terms.symbols.filter((symbol) => !isSpared(symbol.split(BETWEEN_NAMES).at(-1) ?? "")),
    spared: symbols,
  };
}

/** `cart.total`, `Cart::total`, `Cart#total`, `cart->total`. */
const BETWEEN_NAMES = /[.:#>-]+/;
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

export interface SearchWord {
  term: Term;
  /** As the issue spells it, lowercased. */
  text: string;
  /** Title and text together. */
  weight: number;
  inTitle: boolean;
  textWeight: number;
}

export interface SearchWords {
  words: readonly SearchWord[];
  /** Identifiers, case kept, whose definitions are searched for. */
  symbols: readonly string[];
  /** For the owner in `Cart.total`, the names of its members: these are meant. */
  members: ReadonlyMap<string, readonly string[]>;
  /** The literal parts of error messages. */
  messages: readonly string[];
  /** Roughly the score of a file that has every word; makes word scores comparable between issues. */
  scale: number;
}

const TITLE_WEIGHT = 8;
const WORDS = 90;
const MESSAGES = 8;
const SYMBOLS = 40;
const TEXT_LIMIT = 60_000;

/** Chooses and weighs the words to search for; bounded for texts of any length. */
export function searchWords(terms: SearchTerms): SearchWords {
  const words = new Map<Term, SearchWord>();
  add(words, terms.prose, { once: 1, most: 3 });
  add(words, terms.code, { once: 0.6, most: 1.5 });
  add(words, terms.symbols.join(" "), { once: 1.5, most: 3 });
  add(words, terms.title, { once: TITLE_WEIGHT, most: TITLE_WEIGHT, isTitle: true });
  const chosen = [...words.values()]
    .toSorted((a, b) => b.weight - a.weight || b.text.length - a.text.length || (a.text < b.text ? -1 : 1))
    .slice(0, WORDS);
  const parts = terms.symbols.map((symbol) => symbol.split(BETWEEN_NAMES));
  const symbols = parts
    .flat()
    .filter((part) => /^[\p{L}_$][\p{L}\p{N}_$]{2,}$/u.test(part) && isSearchable(part.toLowerCase()))
    .filter((part) => !ERROR_TYPE.test(part));
  const members = new Map<string, string[]>();
  for (const names of parts)
    for (const owner of names.slice(0, -1)) members.set(owner, [...(members.get(owner) ?? []), ...names.slice(-1)]);
  return {
    words: chosen,
    symbols: [...new Set(symbols)].slice(0, SYMBOLS),
    members,
    messages: [...new Set(terms.messages.map(literalPart))].filter((text) => text.length >= 10).slice(0, MESSAGES),
    scale: Math.max(
      1,
      chosen.reduce((sum, { weight }) => sum + weight, 0),
    ),
  };
}

/** An error is named for what raises it, not for the place that defines it. */
const ERROR_TYPE = /(?:Error|Exception)$|^Err\p{Lu}/u;

/** Adds `once` for every occurrence of a word, up to `most` for each text. */
function add(
  words: Map<Term, SearchWord>,
  text: string,
  { once, most, isTitle = false }: { once: number; most: number; isTitle?: boolean },
): void {
  const own = new Map<Term, { text: string; weight: number }>();
  const bytes = Buffer.from(text.slice(0, TEXT_LIMIT));
  eachTerm(bytes, 0, bytes.length, (term, start, end) => {
    const known = own.get(term);
    if (known) {
      known.weight = Math.min(most, known.weight + once);
      return;
    }
    const spelled = bytes.toString("utf8", start, end).toLowerCase();
    if (isSearchable(spelled)) own.set(term, { text: spelled, weight: Math.min(most, once) });
  });
  for (const [term, { text: spelled, weight }] of own) {
    const word = words.get(term) ?? { term, text: spelled, weight: 0, inTitle: false, textWeight: 0 };
    word.weight += weight;
    if (isTitle) word.inTitle = true;
    else word.textWeight += weight;
    words.set(term, word);
  }
}

/** The longest part of a message without interpolated values. */
function literalPart(message: string): string {
  const pieces = message
    .split(/["'`‘’“”«»<>{}[\]\r\n]|\b0x[0-9a-f]+\b|\d+(?:\.\d+)*|(?:[\w.-]*\/)+[\w.-]+|\$\w+|%[sdifvq]/i)
    .map((piece) => piece.trim().replace(/^[:;,.()\s-]+|[:;,(\s-]+$/g, ""));
  return pieces.reduce((best, piece) => (piece.length > best.length ? piece : best), "").slice(0, 120);
}

/** Words that do not help to locate code. */
const STOP = new Set(
  (
    "the a an and or of to in is it its this that these those for on with as be are was were not but if by at from we you " +
    "my our your can cannot could should would will do does did has have had no so when what which who how why then than " +
    "there here im ve re ll don doesn isn didn won wasn aren couldn shouldn wouldn http https www com org github io also " +
    "any all some more most other only just like get got use used using uses via per into out up about after before " +
    "because while been being they them their he she his her me us am may might must shall very too yet still even " +
    "issue bug problem feature request please thanks thank hello hi expected actual behavior behaviour describe reproduce " +
    "steps version example following code case work works working doesnt dont want need seems think instead however " +
    "something anything nothing way make makes sure possible currently true false null undefined none self let const var " +
    "function return import require new class def public private static void string int if else try catch and end"
  ).split(" "),
);

/** Whether a word is worth searching for. */
function isSearchable(word: string): boolean {
  return word.length > 2 && !STOP.has(word) && !/^\d+$/.test(word);
}
