import { readReply } from "./read-reply.ts";
import { isBareNo } from "./answer.ts";
import type { Mark } from "./number-marks.ts";

/** The ways of writing a letter or a number before an answer; one text keeps to one of them. */
const LETTERS = ["a-h", "A-H"].flatMap((letters) =>
  [
    String.raw`\((?<letter>[${letters}])\)[:.]?`,
    String.raw`\[(?<letter>[${letters}])\](?!\()[:.]?`,
    String.raw`(?<letter>[${letters}])\)`,
    String.raw`(?<letter>[${letters}])\.`,
    String.raw`(?<letter>[${letters}]):`,
  ].map((mark) => new RegExp(String.raw`(?<=^|[\s;,])\*{0,3}${mark}\*{0,3}(?=\s)`, "gm")),
);
const MOST_LETTERS = 8;

/**
 * “a) … b) …”: one letter for each open question, in order from the first; else none. `isHead`: only bullets and names
 * stand before.
 */
export function letterMarks(text: string, open: ReadonlySet<number>, isHead: (start: number) => boolean): Mark[] {
  const numbers = inOrder(open);
  if (numbers.length < 2 || numbers.length > MOST_LETTERS) return [];
  for (const pattern of LETTERS) {
    const found = [...text.matchAll(pattern)].slice(0, MOST_LETTERS + 1);
    const isInOrder = found.every(({ groups }, at) => groups?.["letter"]?.toLowerCase() === "abcdefgh"[at]);
    if (found.length === numbers.length && isInOrder && isHead(found[0]?.index ?? 0))
      return marksAt(found, numbers, ")");
  }
  return [];
}

const BARE = /(?<=^|[\s;,，])\d{1,4}(?=\s+\p{L})/gmu;

/** “1 yes, 2 no”: a number of each open question, in order, with a bare yes or no behind one of them at least. */
export function bareMarks(text: string, open: ReadonlySet<number>, isHead: (start: number) => boolean): Mark[] {
  if (open.size < 2 || text.length > LONGEST) return [];
  const numbers = inOrder(open);
  const found = [...text.matchAll(BARE)];
  if (found.length !== numbers.length || !found.every(({ 0: said }, at) => Number(said) === numbers[at])) return [];
  const parts = found.map(({ index, 0: said }, at) => text.slice(index + said.length, found[at + 1]?.index).trim());
  if (!parts.some(isYesOrNo) || !isHead(found[0]?.index ?? 0)) return [];
  return marksAt(found, numbers, "");
}

function inOrder(open: ReadonlySet<number>): number[] {
  return [...open].toSorted((one, other) => one - other);
}

/** A mark for each place found, of the question with the number at the same place. */
function marksAt(found: readonly RegExpExecArray[], numbers: readonly number[], closed: string): Mark[] {
  return found.map(({ index, 0: { length } }, at) => ({
    number: numbers[at] ?? 0,
    start: index,
    end: index + length,
    named: "",
    closed,
  }));
}

function isYesOrNo(part: string): boolean {
  const bare = part.replace(/[;,，.]$/u, "");
  return readReply(bare).kind === "approve" || isBareNo(bare);
}

/** Characters; more is no list of a yes and a no. */
const LONGEST = 400;
