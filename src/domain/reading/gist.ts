import { isFiller } from "./filler.ts";
import { plainText } from "./markdown.ts";
import type { Aspects } from "./aspects.ts";
import type { IssueKind } from "./kind.ts";

const LABELS =
  /^\s*(?:\[[^\]\n]{1,30}\]\s*|(?:bug(?: report)?|feat(?:ure)?(?:[ _-]?req(?:uest)?)?|fix|docs?|chore|perf|refactor|question|enhancement|proposal|rfc|баг|ошибка|fehler|error|不具合|バグ|要望|建议|问题)(?:\([^)\n]{0,30}\))?!?\s*[:：]\s*)+/iu;
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

/** One sentence that says what the issue is about: its title, and what decides it where the title does not. */
export function gistOf(title: string, kind: IssueKind, aspects: Aspects): string {
  const heading = cleanTitle(title);
  const decisive = (kind === "feature" ? [aspects.expected, aspects.actual] : [aspects.actual, aspects.expected])
    .filter((aspect) => aspect.from === "section" || aspect.from === "prose")
    .map((aspect) => firstLine(aspect.text ?? ""))
    .find((text) => text !== "" && !isFiller(text) && !repeats(heading, text));
  if (decisive === undefined) return heading;
  return heading === "" ? decisive : `${heading}: ${decisive}`;
}

/** The first line that is a sentence, cut at a word. */
function firstLine(text: string): string {
  const line = text
    .split("\n")
    .map((each) => plainText(each.replace(/^[-*\d.)\s]+/, "")))
    .find((each) => /\p{L}{2,}/u.test(each) && !each.startsWith("```"));
  if (line === undefined) return "";
  if (line.length <= LONGEST) return line;
  return `${line.slice(0, LONGEST).replace(/\s+\S*$/, "")}…`;
}

/** Whether the sentence says little beyond the title. */
function repeats(title: string, sentence: string): boolean {
  const known = wordsOf(title);
  const said = [...wordsOf(sentence)];
  return said.length === 0 || said.filter((word) => !known.has(word)).length < Math.max(2, said.length * 0.35);
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_$]{3,}/gu) ?? []);
}
