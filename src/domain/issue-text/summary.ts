import { isFiller } from "./stop-words.ts";
import { plainText } from "./markdown.ts";
import { HAPPENS } from "./aspect-words.ts";
import type { Aspects } from "./aspects.ts";
import { FAULT, type IssueKind } from "./kind.ts";
import { sentencesOf } from "./sentences.ts";

const LABELS =
  /^\s*(?:\[[^\]\n]{1,30}\]\s*[:：-]?\s*|(?:bug(?: report)?|feat(?:ure)?(?:[ _-]?req(?:uest)?)?|fix|docs?|chore|perf|refactor|question|enhancement|proposal|rfc|баг|ошибка|fehler|error|不具合|バグ|要望|建议|问题)(?:\([^)\n]{0,30}\))?!?\s*[:：]\s*)+/iu;
const LONGEST = 240;

/** A title without the marks of its kind and without the full stop. */
export function cleanTitle(title: string): string {
  const clean = plainText(title.replaceAll(/\s+/g, " "));
  const left = clean
    .replace(LABELS, "")
    .replace(/[\s.。!！]+$/u, "")
    .trim();
  return left === "" ? clean : left;
}

/** One sentence about the issue: its title, and the deciding aspect if the title lacks it. */
export function gistOf(title: string, kind: IssueKind, aspects: Aspects): string {
  const heading = cleanTitle(title);
  const decisive = (kind === "feature" ? [aspects.expected, aspects.actual] : [aspects.actual, aspects.expected])
    .filter((aspect) => aspect.from === "section" || aspect.from === "prose")
    .map((aspect) => tellingSentence(aspect.text ?? ""))
    .find((text) => text !== "" && !isFiller(text) && !repeats(heading, text));
  if (decisive === undefined) return heading;
  return heading === "" ? decisive : `${heading}: ${decisive}`;
}

const SHORTEST = 12;

/**
 * The deciding sentence of the first line, or else its first one, cut at a word; empty if it is too short to mean
 * something.
 */
function tellingSentence(text: string): string {
  const line = text
    .split("\n")
    .map((each) => plainText(each.replace(/^[-*\d.)\s]+/, "")))
    .find((each) => /\p{L}{2,}/u.test(each) && !each.startsWith("```"));
  const sentences = sentencesOf(line ?? "")
    .slice(0, 4)
    .map(({ text: each }) => each);
  const decisive = sentences.find((each) => FAULT.test(each)) ?? sentences.find((each) => HAPPENS.test(each));
  const sentence = (decisive ?? sentences[0] ?? "").replace(/[\s:：]+$/, "");
  // A script without spaces needs half the characters.
  const shortest = /[\u3040-\u30ff\u4e00-\u9fff]/.test(sentence) ? SHORTEST / 2 : SHORTEST;
  if (sentence.length < shortest || /^https?:\S+$/.test(sentence)) return "";
  if (sentence.length <= LONGEST) return sentence;
  return `${sentence.slice(0, LONGEST).replace(/\s+\S*$/, "")}…`;
}

/** Whether the sentence adds little to the title. */
function repeats(title: string, sentence: string): boolean {
  const known = wordsOf(title);
  const spoken = [...wordsOf(sentence)];
  return spoken.length === 0 || spoken.filter((word) => !known.has(word)).length < Math.max(2, spoken.length * 0.35);
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_$]{3,}/gu) ?? []);
}
