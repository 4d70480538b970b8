import { BETWEEN, DIGIT, kindAt, LOWER, lowerAt, SEAM, UPPER } from "./bytes.ts";

/**
 * A word as a 32-bit hash, computed from the bytes of a file without creating strings: indexing takes about as long as
 * git takes to unpack the repository. With a million distinct words, a given hash collides with a chance of 1 in 4,000,
 * which costs a little rank and never an error.
 */
export type Term = number;

/** Receives each term with its offsets; the parts of an identifier come before the whole. */
export type EachTerm = (term: Term, start: number, end: number) => void;

/** FNV-1a. */
const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;
/** Longer words are data. */
const LONGEST = 60;
/** Distinguishes definition terms from word terms. */
const DEFINITION_SALT = 0x5bd1e995;

/** Hashes of the current part by length, so that stemming can step back to a shorter prefix. */
const prefixes = new Uint32Array(LONGEST + 1);

/** Emits every term: identifiers as a whole and split into stemmed parts, in lower case. */
export function eachTerm(bytes: Uint8Array, from: number, to: number, each: EachTerm): void {
  let at = from;
  while (at < to) {
    while (at < to && kindAt(bytes, at) === BETWEEN) at += 1;
    const start = at;
    while (at < to && kindAt(bytes, at) !== BETWEEN) at += 1;
    if (at - start > 1 && at - start <= LONGEST) eachTermOfWord(bytes, start, at, each);
  }
}

/** Words that hold the filter's bits; few enough for the L1 cache. */
const FILTER = 1 << 11;

/** Quickly rules out most terms that are not among some wanted ones. */
export class TermFilter {
  readonly #bits = new Uint32Array(FILTER);

  constructor(wanted: Iterable<Term>) {
    for (const term of wanted) {
      const word = (term >>> 5) & (FILTER - 1);
      this.#bits[word] = (this.#bits[word] ?? 0) | (1 << (term & 31));
    }
  }

  /** False for most other terms, never for a wanted one. */
  mayHave(term: Term): boolean {
    return (((this.#bits[(term >>> 5) & (FILTER - 1)] ?? 0) >>> (term & 31)) & 1) === 1;
  }
}

/** The distinct terms of a text. */
export function termsOf(text: string): Set<Term> {
  const found = new Set<Term>();
  const bytes = Buffer.from(text);
  eachTerm(bytes, 0, bytes.length, (term) => found.add(term));
  return found;
}

/** The distinct terms of a path; of a longer text, those of its first 4,096 bytes. */
export function fewTermsOf(text: string): Term[] {
  const found: Term[] = [];
  const length = SHORT.write(text);
  eachTerm(SHORT, 0, length, (term) => {
    if (!found.includes(term)) found.push(term);
  });
  return found;
}

const SHORT = Buffer.alloc(4_096);

/** The term for "a symbol of this name is defined here". */
export function definitionTerm(bytes: Uint8Array, start: number, end: number): Term {
  let hash = BASIS;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ lowerAt(bytes, at), PRIME);
  return (hash ^ DEFINITION_SALT) >>> 0;
}

export function definitionTermOf(name: string): Term {
  const bytes = Buffer.from(name);
  return definitionTerm(bytes, 0, bytes.length);
}

function eachTermOfWord(bytes: Uint8Array, start: number, end: number, each: EachTerm): void {
  let whole = BASIS;
  let part = BASIS;
  let length = 0;
  let parts = 0;
  let before = BETWEEN;
  for (let at = start; at < end; at += 1) {
    const kind = kindAt(bytes, at);
    const lower = lowerAt(bytes, at);
    whole = Math.imul(whole ^ lower, PRIME);
    if (length > 0 && isSeam(bytes, at, kind, before, end)) {
      if (length > 1) {
        parts += 1;
        each(stem(bytes, at, length), at - length, at);
      }
      part = BASIS;
      length = 0;
    }
    if (kind !== SEAM) {
      part = Math.imul(part ^ lower, PRIME);
      length += 1;
      prefixes[length] = part;
    }
    before = kind;
  }
  if (length > 1) {
    parts += 1;
    each(stem(bytes, end, length), end - length, end);
  }
  if (parts > 1) each(whole >>> 0, start, end);
}

/** Whether a new part of the identifier begins: `foo|Bar`, `foo|_bar`, `HTTP|Server`, `utf8|Text`. */
function isSeam(bytes: Uint8Array, at: number, kind: number, before: number, end: number): boolean {
  if (kind === SEAM) return true;
  if (kind !== UPPER) return false;
  if (before === LOWER || before === DIGIT) return true;
  return before === UPPER && at + 1 < end && kindAt(bytes, at + 1) === LOWER;
}

/** The hash of the part that ends here, without common English endings; at least four letters remain. */
function stem(bytes: Uint8Array, end: number, length: number): Term {
  if (length < 5 || !isLetters(bytes, end - length, end)) return prefixes[length] ?? 0;
  // Twice, so that `rendering` becomes `render`.
  const first = endingOf(bytes, end, length);
  const cut = first === 0 ? 0 : first + endingOf(bytes, end - first, length - first);
  return prefixes[length - cut] ?? 0;
}

function isLetters(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const kind = kindAt(bytes, at);
    if (kind !== LOWER && kind !== UPPER) return false;
  }
  return true;
}

/** Endings by their last letter, the longest first. */
const ENDINGS = new Map<number, readonly Uint8Array[]>(
  Object.entries({
    s: ["ations", "ings", "ions", "ers", "ies", "es", "s"],
    n: ["ation", "ion"],
    g: ["ing"],
    d: ["ed"],
    r: ["er"],
    y: ["ly", "y"],
    e: ["e"],
  }).map(([last, endings]) => [last.charCodeAt(0), endings.map((ending) => Buffer.from(ending))]),
);
const BY_LAST = Array.from({ length: 256 }, (_, byte) => ENDINGS.get(byte));
const S = "s".charCodeAt(0);

function endingOf(bytes: Uint8Array, end: number, length: number): number {
  const endings = BY_LAST[lowerAt(bytes, end - 1)];
  if (endings === undefined) return 0;
  for (const ending of endings) {
    if (length - ending.length < 4 || !endsWith(bytes, end, ending)) continue;
    // `class` is no plural.
    if (ending.length === 1 && ending[0] === S && lowerAt(bytes, end - 2) === S) return 0;
    return ending.length;
  }
  return 0;
}

function endsWith(bytes: Uint8Array, end: number, ending: Uint8Array): boolean {
  for (let back = 1; back <= ending.length; back += 1) {
    if (lowerAt(bytes, end - back) !== ending[ending.length - back]) return false;
  }
  return true;
}
