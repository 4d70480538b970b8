import { sentencesOf } from "../domain/issue-text/sentences.ts";
import type { Topic } from "../domain/gap.ts";
import { forbidsPlaces } from "../domain/statements/places-meant.ts";
import phrases from "../domain/text/mail-phrases.json" with { type: "json" };
import { withoutSignature } from "../domain/text/mail.ts";
import { isNoOrOnly } from "./own-words.ts";

const NAME = String.raw`(?<name>\p{L}[\p{L}.’'-]{0,30}(?:\s\p{L}[\p{L}.’'-]{0,30}){0,2})`;
const either = (list: readonly string[]) => list.join("|");
/** “Hi all,”, “Dear Relay!”: set apart from what follows. */
const GREETING = new RegExp(
  String.raw`^(?:(?:${either(phrases.greets)})(?:\s(?:${either(phrases.greeted)}|${NAME}))?[,.!:]+\s+(?=\S)|(?:${either(phrases.greetsUnspaced)})[，。！、,]+\s*(?=\S))`,
  "iu",
);
/** “Thanks, Ruth”, “Best regards” with a name below. */
const FAREWELL = new RegExp(
  String.raw`(?<=[.!?…。！？\n${"`"})]\s*)(?:(?:${either(phrases.closes)})[,.!]*(?:\s+${NAME})?|(?:${either(phrases.closesUnspaced)}))[\s.!。！]*$`,
  "iu",
);
const FENCE = /(?:^|\n)[ \t]*(?:`{3}|~{3})/;
/** Questions whose answers say what must stay as it is. */
const LIMITS: ReadonlySet<Topic | null> = new Set<Topic | null>(["scope", "compatibility"]);

/**
 * What an answer says to its question: without greetings, thanks, names below them, and orders not to touch files,
 * which count by themselves. Unchanged if nothing would be left.
 */
export function answerWords(note: string, topic: Topic | null): string {
  let left = without(withoutSignature(note, isNoOrOnly).trim(), GREETING);
  for (let before = ""; before !== left;) {
    before = left;
    const end = left.slice(-LONGEST_END);
    left = `${left.slice(0, left.length - end.length)}${without(end, FAREWELL)}`.trim();
  }
  if (!LIMITS.has(topic) && !FENCE.test(left)) left = withoutOrders(left);
  return /[\p{L}\p{N}]/u.test(left) ? left : note;
}

/** Characters in which a farewell is searched. */
const LONGEST_END = 200;

/** Without what the pattern finds, if a name in it is written like one. */
function without(text: string, pattern: RegExp): string {
  const found = pattern.exec(text);
  const names = found?.groups?.["name"]?.split(/\s/) ?? [];
  return found !== null && names.every((name) => /^\p{Lu}/u.test(name))
    ? `${text.slice(0, found.index)}${text.slice(found.index + found[0].length)}`
    : text;
}

function withoutOrders(text: string): string {
  return sentencesOf(text)
    .toReversed()
    .reduce(
      (left, { text: sentence, start, end }) =>
        forbidsPlaces(sentence) ? `${left.slice(0, start).trimEnd()}${left.slice(end)}` : left,
      text,
    )
    .trim();
}
