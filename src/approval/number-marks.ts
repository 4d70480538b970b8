import { phrasePattern } from "../domain/issue-text/phrases.ts";
import words from "./number-words.json" with { type: "json" };

/** Where an answer to a question begins: its number, and what stands before the answer. */
export interface Mark {
  number: number;
  start: number;
  end: number;
  /** The word before the number, in small letters. */
  named: string;
  /** What separates the number from the answer; empty if only a blank does. */
  closed: string;
}

/** Where a mark may stand. */
interface Place {
  line: string;
  /** Where the line's text begins, behind bullets and names of people. */
  head: number;
  open: ReadonlySet<number>;
  /** The last mark of the lines before. */
  above: Mark | undefined;
}

const either = (...lists: readonly string[][]) => lists.flat().join("|");

/** In ASCII, in full width, in a circle, on a key. */
const NUMBER = String.raw`\d{1,4}\uFE0F?\u20E3?|[０-９]{1,4}|[①-⒛]`;
const BEGINS = String.raw`(?:(?<=^|[\s;,，；。！？、）\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])|(?=[（①-⒛]))\*{0,3}`;
/** `1. `, `(1)`, `[1]`, `1 - `, `Q1`, `Zu Frage 1:`, `#1`, `①`, `第1题：`. */
const MARK = new RegExp(
  String.raw`${BEGINS}(?<named>(?:(?:${either(words.bare, words.named)})[.:：]?[^\S\n]?){1,3})?` +
    String.raw`(?<opened>[#(（[])?\*{0,3}(?<number>${NUMBER})\*{0,3}(?<counted>${either(words.counted)})?` +
    String.raw`(?<closed>[^\S\n]?(?:[.):：、，,．）。\]]{1,2}|[-–—=/→](?=\s|$)))?\*{0,3}`,
  "giu",
);
const BARE = phrasePattern(`^(?:${either(words.bare)})(?!\\p{L})`);
/** Words that a number belongs to: “use version 2. It is newer”. */
const NAMES_NUMBER = new RegExp(
  String.raw`(?:^|[\s(])(?:${either(words.numbers.spaced)})$|(?:${either(words.numbers.unspaced)})$`,
  "iu",
);
const JOINS = String.raw`(?:${either(words.joins)})`;
/** “Q1 and Q2 are the same”, “Q1, Q2: yes”. */
const JOINED = phrasePattern(String.raw`^\s*(?:[,;&/+–—-]|${JOINS}(?!\p{L})|[和と])`);
/** “1. and 2. are the same”. */
const WITH_NEXT = phrasePattern(String.raw`^\s*${JOINS}\s+(?:q|#)?\d`);
/** “1: yes and 2: no”, but not “between 1 and 2: no”. */
const JOINER = phrasePattern(String.raw`(?<=[\s,;])${JOINS}$`);
const BETWEEN = phrasePattern(String.raw`\d\s+${JOINS}$`);
const MONTH = phrasePattern(String.raw`^\s*(?:${either(words.months)})(?!\p{L})`);
const APART = /[.!?:;,，；。！？、)）…]$/;

/** The marks in a line, each with its place there. */
export function marksInLine(place: Place): Mark[] {
  const { line, head } = place;
  const marks: Mark[] = [];
  for (const found of line.matchAll(MARK)) {
    const last = marks.at(-1);
    const mark = markOf(found, place, last);
    if (mark === null) continue;
    // “1. yes 2. no 3. maybe” has a no, and no “No. 3”.
    const isAnswer = last !== undefined && mark.named !== "" && line.slice(last.end, mark.start).trim() === "";
    marks.push(isAnswer ? { ...mark, start: mark.start + (found.groups?.["named"] ?? "").length, named: "" } : mark);
  }
  const filled = marks.filter((mark, at) => isFilled(mark, marks[at + 1]?.start, line, head));
  const [first] = filled;
  // One number in the middle of a line may be anything, except after a question.
  const isLost = filled.length === 1 && first !== undefined && first.start !== head;
  return isLost && !/[?？]\s*$/.test(line.slice(0, first.start)) ? [] : filled;
}

/** Only at the beginning of a line may the answer follow on the next one. */
function isFilled({ start, end }: Mark, next: number | undefined, line: string, head: number): boolean {
  return (start === head && next === undefined) || line.slice(end, next).trim() !== "";
}

function markOf(found: RegExpMatchArray, { line, head, open, above }: Place, last: Mark | undefined): Mark | null {
  const { named = "", opened = "", number: digits = "", counted = "", closed: after = "" } = found.groups ?? {};
  const start = found.index ?? 0;
  const end = start + found[0].length;
  const closed = after.trim();
  const number = Number(/\d+/.exec(digits.normalize("NFKC"))?.[0]);
  const mark = { number, start, end, named: named.trim().toLowerCase(), closed };
  const before = line.slice(Math.max(0, start - 40), start).trimEnd();
  const rest = line.slice(end);
  const isFirst = start === head;
  const isApart = isFirst || APART.test(before);
  const isAlone = named === "" && opened === "" && counted === "";
  if (!open.has(number) && !isFirst) return null;
  const isHeading = isFirst && named !== "" && rest.trim() === "";
  if (!isHeading && !separates({ isAlone, named, opened, digits, counted, closed }, rest)) return null;
  const goesOn = isDash(closed) && isDash((last ?? above)?.closed ?? "");
  if ((isAlone && !goesOn && isQuantity(closed, rest, isApart)) || WITH_NEXT.test(rest)) return null;
  if (last === undefined ? !isApart : number <= last.number) return null;
  if (isFirst) return mark;
  if (NAMES_NUMBER.test(before) || BETWEEN.test(before)) return null;
  if (isApart) return mark;
  if (JOINER.test(before)) return !isAlone || /^[:：)）]/.test(closed) ? mark : null;
  return mayFollow(mark, isAlone, last) ? mark : null;
}

/** Whether a mark may stand in the middle of a sentence: “1: yes 2: no”, but not “it went from 1 to 2: fine”. */
function mayFollow({ named, closed }: Mark, isAlone: boolean, last: Mark | undefined): boolean {
  if (isAlone) return !isDash(closed) || isDash(last?.closed ?? "");
  if (named === "") return true;
  return named === last?.named || named === "q" || (BARE.test(named) && /^[:：]/.test(closed));
}

function isDash(closed: string): boolean {
  return /^[-–—=/→]/.test(closed);
}

/** Whether a number is set apart from what follows. */
function separates(
  is: { isAlone: boolean; named: string; opened: string; digits: string; counted: string; closed: string },
  rest: string,
): boolean {
  const { closed, opened } = is;
  // A link has its address behind the bracket.
  if (opened === "[") return closed.startsWith("]") && !/^[([]/.test(rest) && !JOINED.test(rest);
  if (closed.startsWith("]")) return false;
  if (/[(（]/.test(opened)) return /^[)）]/.test(closed) && !(/^.$/.test(closed) && JOINED.test(rest));
  if (closed === "") {
    if (/[^\d０-９]/.test(is.digits)) return true;
    if (is.counted !== "") return is.counted.endsWith("は");
    const isBare = opened === "#" || BARE.test(is.named);
    return isBare && /^[\s*\u0080-\uFFFF]/.test(rest) && !JOINED.test(rest);
  }
  if (/^[,，、]/.test(closed))
    return !/^\s*(?:q|#)?\d/i.test(rest) && !JOINED.test(rest) && (closed !== "," || !is.isAlone);
  return !isDash(closed) || is.named !== "" || !JOINED.test(rest);
}

/** “1.5”, “1.x”, “1:30”, “wait 1. 5 s”, “1. Mai”. */
function isQuantity(closed: string, rest: string, isApart: boolean): boolean {
  if (/^[.．]$/.test(closed) && (/^(?:[x*](?!\p{L})|\d)/u.test(rest) || MONTH.test(rest))) return true;
  if (closed === "." && /^[!-~]/.test(rest) && !isApart) return true;
  if (isDash(closed) || (closed === "." && !isApart)) return /^\s*\d/.test(rest);
  return /^\d/.test(rest) && !/[)）]$/.test(closed);
}

const LEAD = String.raw`(?:(?:${words.leads.join("|")})\s)?`;
const NOUN = String.raw`(?:\s?(?:${words.nouns.join("|")}))?`;
const CLOSES = String.raw`(?:\*{0,3}\s?[:：、，–—]|\*{0,3}\s-(?=\s))`;
const ORDINALS = words.ordinals.map(({ adverbs: { spaced, unspaced }, adjectives }) => {
  const adverb = String.raw`(?:(?:${spaced.join("|")})(?!\p{L})|${unspaced.join("|")})(?:${CLOSES}|,)?`;
  const adjective = `(?:${adjectives.join("|")})${NOUN}${CLOSES}`;
  return phrasePattern(String.raw`(?<![\p{L}\p{N}_-])\*{0,3}${LEAD}(?:${adverb}|${adjective})\*{0,3}`, "giu");
});
/** The beginning of a line, or the end of what was said before. */
const APART_BEFORE = new RegExp(
  String.raw`(?:^|\n|[.!?:;,，；。！？、)…]|(?:^|[\s;,])(?:${words.joins.join("|")})|@[\w-]{1,80})\s*(?:[-*]\s)?$`,
  "iu",
);

/** “First: yes Second: no”. */
const OPENS_SENTENCE = /^\**\p{Lu}.*[:：]\**$/u;

function standsApart(text: string, index: number): boolean {
  return APART_BEFORE.test(text.slice(Math.max(0, index - 90), index));
}

/** “First: … Second: …” by the order of the open questions; none if there are more of them than questions. */
export function ordinalMarks(text: string, open: ReadonlySet<number>): Mark[] {
  const found = ORDINALS.flatMap((ordinal, at) =>
    [...text.matchAll(ordinal)]
      .filter(({ index, 0: said }) => standsApart(text, index) || (at > 0 && OPENS_SENTENCE.test(said)))
      .map(({ index, 0: { length } }) => ({ at, start: index, end: index + length })),
  ).toSorted((one, other) => one.start - other.start);
  if (found[0] === undefined || !standsApart(text, found[0].start)) return [];
  const isInOrder = found.every(({ at }, place) => place === 0 || at === (found[place - 1]?.at ?? 0) + 1);
  if (found.length < 2 || !isInOrder) return [];
  const numbers = [...open].toSorted((one, other) => one - other);
  const areNumbers = found.every(({ at }) => open.has(at + 1));
  const marks = found.map(({ at, start, end }) => {
    const number = areNumbers ? at + 1 : numbers[at];
    return number === undefined ? [] : [{ number, start, end, named: "", closed: ":" }];
  });
  return marks.some(({ length }) => length === 0) ? [] : marks.flat();
}
