import words from "./number-words.json" with { type: "json" };
import type { Mark } from "./number-marks.ts";

const LEAD = String.raw`(?:(?:${words.leads.join("|")})\s)?`;
const NOUN = String.raw`(?:\s?(?:${words.nouns.join("|")}))?`;
const CLOSES = String.raw`(?:\*{0,3}\s?[:：、，–—]|\*{0,3}\s-(?=\s))`;
const ORDINALS = words.ordinals.map(({ adverbs: { spaced, unspaced }, adjectives }) => {
  const adverb = String.raw`(?:(?:${spaced.join("|")})(?!\p{L})|${unspaced.join("|")})(?:${CLOSES}|,)?`;
  const adjective = `(?:${adjectives.join("|")})${NOUN}${CLOSES}`;
  return new RegExp(String.raw`(?<![\p{L}\p{N}_-])\*{0,3}${LEAD}(?:${adverb}|${adjective})\*{0,3}`, "giu");
});
/** The beginning of a line, or the end of what was said before. */
const APART = new RegExp(
  String.raw`(?:^|\n|[.!?:;,，；。！？、)…]|(?:^|[\s;,])(?:${words.joins.join("|")})|@[\w-]{1,80})\s*(?:[-*]\s)?$`,
  "iu",
);

/** “First: yes Second: no”. */
const OPENS_SENTENCE = /^\**\p{Lu}.*[:：]\**$/u;

function isApart(text: string, index: number): boolean {
  return APART.test(text.slice(Math.max(0, index - 90), index));
}

/** “First: … Second: …” by the order of the open questions; none if there are more of them than questions. */
export function ordinalMarks(text: string, open: ReadonlySet<number>): Mark[] {
  const found = ORDINALS.flatMap((ordinal, at) =>
    [...text.matchAll(ordinal)]
      .filter(({ index, 0: said }) => isApart(text, index) || (at > 0 && OPENS_SENTENCE.test(said)))
      .map(({ index, 0: { length } }) => ({ at, start: index, end: index + length })),
  ).toSorted((one, other) => one.start - other.start);
  if (found[0] === undefined || !isApart(text, found[0].start)) return [];
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
