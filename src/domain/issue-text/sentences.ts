import type { Span } from "./markdown.ts";

export interface Sentence extends Span {
  text: string;
}

const ABBREVIATION =
  /(?:^|[\s(])(?:e\.g|i\.e|eg|ie|vs|cf|approx|resp|incl|excl|esp|aka|w\.r\.t|sec|ch|pp?|vol|z\. ?b|d\. ?h|u\. ?a|i\. ?d\. ?r|bzw|ggf|evtl|inkl|ca|sog|т\. ?е|т\. ?к|т\. ?н|напр|см|стр|(?:p\. ?)?ex|p\. ?ej|ej|por ej|no|nr|n[ºo]|fig|mr|mrs|ms|dr|prof|st|v)\.$/i;
/** Before a number, or in mid-sentence: “max. 5 s”; “set it to the max.” ends there. */
const OF_AMOUNT = /(?:^|[\s(])(?:max|min|maks|máx|mín|avg|est|mind|höchst|mindest|durchschn|макс|мин|прибл)\.$/iu;
/** Ends a list in mid-sentence, or the sentence too. */
const AND_SO_ON = /(?:^|[\s(])(?:etc|et al|usw|u\. ?a\. ?m|и т\. ?д|и т\. ?п|и др)\.$/i;
const LONGEST = 1_200;

/**
 * Splits prose into sentences; text in backticks is never split, nor are line breaks inside a paragraph
 * boundaries unless the next line begins like a list. `offset` is added to the spans.
 */
export function sentencesOf(text: string, offset = 0): Sentence[] {
  const found: Sentence[] = [];
  let start = 0;
  let inCode = false;
  const push = (end: number) => {
    const raw = text.slice(start, Math.min(end, start + LONGEST));
    const lead = raw.length - raw.trimStart().length;
    const trimmed = raw.trim();
    if (trimmed !== "")
      found.push({
        text: trimmed.replaceAll(/\s+/g, " "),
        start: offset + start + lead,
        end: offset + start + lead + trimmed.length,
      });
    start = end;
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === "`") inCode = !inCode;
    if (character === "\n" && breaksHere(text, at)) {
      inCode = false;
      push(at + 1);
    } else if (!inCode && /[.!?]/.test(character) && /^["')\]*_”»]*(?:\s|$)/.test(text.slice(at + 1, at + 6))) {
      if (
        character === "." &&
        (ABBREVIATION.test(text.slice(Math.max(0, at - 12), at + 1)) ||
          (OF_AMOUNT.test(text.slice(Math.max(0, at - 12), at + 1)) &&
            /^\s+[\d<>~≈`\p{Ll}]/u.test(text.slice(at + 1, at + 6))) ||
          (AND_SO_ON.test(text.slice(Math.max(0, at - 12), at + 1)) &&
            !/^["')\]*_”»]*\s+\p{Lu}/u.test(text.slice(at + 1))) ||
          // “z. B.” with its space.
          (/(?:^|[\s(])\p{L}\.$/u.test(text.slice(Math.max(0, at - 2), at + 1)) &&
            /^ \p{L}\./u.test(text.slice(at + 1))) ||
          /^\d+\.$/.test(text.slice(start, at + 1).trim()))
      )
        continue;
      push(at + 1);
    } else if (/[。！？]/.test(character)) {
      push(at + 1);
    }
  }
  push(text.length);
  return found;
}

/** A line break ends a sentence before an empty line, a list item, or where the line ended in a bracket or a colon. */
function breaksHere(text: string, at: number): boolean {
  const next = text.slice(at + 1, at + 12);
  if (/^[ \t]*(?:\n|[-*+•] |\d+[.)] )/.test(next)) return true;
  return /[)\]"'`:：…]\s*$/.test(text.slice(Math.max(0, at - 3), at)) && /^[ \t]*\p{Lu}/u.test(next);
}

/** Whether a sentence ends in a question mark, whatever closes behind it. */
export function isQuestion(text: string): boolean {
  return /[?？](?:["'”»)\]*_\s])*$/.test(text);
}
