import { BETWEEN, DIGIT, kindAt, NEWLINE } from "./bytes.ts";

/** Receives the offsets of a defined name. */
export type EachDefinition = (start: number, end: number) => void;

/** Keywords that define the name after them; modifiers may precede them. */
const DEFINES = words(
  "function class def fn func fun interface struct enum union trait type module namespace mod sub object record protocol procedure table view defp defmodule defmacro macro_rules impl",
);
const VALUES = words("const let var val");
const MODIFIERS = words(
  "export default public private protected internal static async abstract final override open sealed data inline virtual readonly declare unsafe extern pub const suspend local native synchronized partial get set create or replace if not exists global",
);
/** Keywords that begin a statement or an expression, so that no signature follows them. */
const CONTROL = words(
  "if for while switch catch return else throw await yield do try with when match case and in is as elif except assert del print typeof delete super this self import require from not raise unless until foreach lock using package goto echo new defer go select",
);

const SPACE = 32;
const TAB = 9;
const [OPEN, CLOSE, BRACE, LESS, GREATER, EQUALS, COLON, DOT, STAR, BANG, AND, COMMA, SEMICOLON, SQUARE, UNSQUARE] =
  codes("(){<>=:.*!&,;[]");
/** Bytes searched in each line: signatures begin their line. */
const LINE_BYTES = 240;
const MOST_WORDS = 10;

/** Emits the names that lines seem to define. Checks how a line begins, without a grammar; right most of the time. */
export function eachDefinition(bytes: Uint8Array, each: EachDefinition): void {
  let start = 0;
  while (start < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    line(bytes, start, Math.min(end, start + LINE_BYTES), each);
    start = end + 1;
  }
}

function line(bytes: Uint8Array, start: number, end: number, each: EachDefinition): void {
  let at = skipBlanks(bytes, start, end);
  const outermost = at === start;
  let seen = 0;
  let defining = false;
  let value = false;
  while (at < end && seen < MOST_WORDS) {
    if (defining && bytes[at] === OPEN) at = skipBlanks(bytes, closing(bytes, at, end) + 1, end);
    if (bytes[at] === LESS) at = skipBlanks(bytes, closing(bytes, at, end) + 1, end);
    const kind = kindAt(bytes, at);
    if (at >= end || kind === BETWEEN || kind === DIGIT) return;
    const wordStart = at;
    while (at < end && kindAt(bytes, at) !== BETWEEN) at += 1;
    const wordEnd = at;
    while (at < end && bytes[at] === SQUARE) at = Math.min(end, closing(bytes, at, end) + 1);
    at = skipBlanks(bytes, at, end);
    if (defining) {
      // `def self.parse`: the last name counts.
      if (bytes[at] === DOT && kindAt(bytes, at + 1) !== BETWEEN) {
        at += 1;
        continue;
      }
      each(wordStart, wordEnd);
      return;
    }
    const key = keyOf(bytes, wordStart, wordEnd);
    if (key === PUB && bytes[at] === OPEN) at = skipBlanks(bytes, closing(bytes, at, end) + 1, end);
    if (value) {
      if (outermost || assignsFunction(bytes, at, end)) each(wordStart, wordEnd);
      return;
    }
    const next = bytes[at];
    if (has(DEFINES, key) && next !== EQUALS && next !== COLON && next !== DOT && next !== COMMA) {
      defining = true;
      if (next === STAR || next === BANG) at = skipBlanks(bytes, at + 1, end);
      continue;
    }
    if (has(VALUES, key) && kindAt(bytes, at) !== BETWEEN && !(has(MODIFIERS, key) && nextDefines(bytes, at, end))) {
      value = true;
      continue;
    }
    if (has(CONTROL, key)) return;
    if (next === OPEN) {
      if (isSignature(bytes, at, end, seen > 0)) each(wordStart, wordEnd);
      return;
    }
    if (next === EQUALS || next === COLON) {
      // `Foo::bar(` continues, `Foo: function` does not.
      if (next === COLON && bytes[at + 1] === COLON) {
        at = skipBlanks(bytes, at + 2, end);
        continue;
      }
      if (assignsFunction(bytes, at, end) || (outermost && next === EQUALS && bytes[at + 1] !== EQUALS)) {
        each(wordStart, wordEnd);
      }
      return;
    }
    if (next === DOT) at += 1;
    else {
      while (at < end && (bytes[at] === STAR || bytes[at] === AND)) at += 1;
      if (!has(MODIFIERS, key)) seen += 1;
    }
  }
}

function nextDefines(bytes: Uint8Array, at: number, end: number): boolean {
  let to = at;
  while (to < end && kindAt(bytes, to) !== BETWEEN) to += 1;
  return has(DEFINES, keyOf(bytes, at, to));
}

/** Distinguishes a signature from a call: it opens a block, or a type precedes its name. */
function isSignature(bytes: Uint8Array, open: number, end: number, typed: boolean): boolean {
  const close = closing(bytes, open, end);
  let last = end - 1;
  while (last > open && (bytes[last] ?? 0) <= SPACE) last -= 1;
  if (close >= end) return typed && bytes[last] !== SEMICOLON;
  if (bytes[last] !== BRACE) return typed && last === close;
  for (let at = close + 1; at < last; at += 1) {
    const byte = bytes[at];
    if (byte === EQUALS || byte === OPEN || byte === DOT) return false;
  }
  return true;
}

/** After a name: `= function`, `: async (…) =>`, `= x =>`, `= class`. */
function assignsFunction(bytes: Uint8Array, from: number, end: number): boolean {
  let at = from;
  while (at < end && bytes[at] !== EQUALS && bytes[at] !== COLON) at += 1;
  for (at += 1; at < end; at += 1) {
    if (bytes[at] === EQUALS && bytes[at + 1] === GREATER) return true;
    if (bytes[at] === SEMICOLON) return false;
    const kind = kindAt(bytes, at);
    if (kind === BETWEEN || kindAt(bytes, at - 1) !== BETWEEN) continue;
    let to = at;
    while (to < end && kindAt(bytes, to) !== BETWEEN) to += 1;
    const key = keyOf(bytes, at, to);
    if (key === FUNCTION || key === CLASS) return true;
  }
  return false;
}

/** The offset of the matching closing bracket; `end` if there is none. */
function closing(bytes: Uint8Array, open: number, end: number): number {
  const opener = bytes[open];
  const closer = opener === OPEN ? CLOSE : opener === LESS ? GREATER : UNSQUARE;
  let depth = 0;
  for (let at = open; at < end; at += 1) {
    if (bytes[at] === opener) depth += 1;
    else if (bytes[at] === closer && --depth === 0) return at;
  }
  return end;
}

function skipBlanks(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at += 1;
  return at;
}

/** A short word as a number: exact up to six letters, by its ends and length beyond. */
function keyOf(bytes: Uint8Array, start: number, end: number): number {
  let key = end - start;
  for (let at = start; at < end && at < start + 16; at += 1) key = (Math.imul(key, 31) + (bytes[at] ?? 0)) | 0;
  return key;
}

function keyOfText(text: string): number {
  const bytes = Buffer.from(text);
  return keyOf(bytes, 0, bytes.length);
}

const FUNCTION = keyOfText("function");
const CLASS = keyOfText("class");
const PUB = keyOfText("pub");

function words(text: string): ReadonlySet<number> {
  return new Set(text.split(" ").map(keyOfText));
}

function has(set: ReadonlySet<number>, key: number): boolean {
  return set.has(key);
}

function codes(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}
