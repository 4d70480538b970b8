import type { Span } from "./markdown.ts";

export interface Sentence extends Span {
  text: string;
}

const ABBREVIATION =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|resp|z\.b|d\.h|bzw|ca|т\.е|т\.к|т\.д|др|p\.ex|ej|no|nr|fig|mr|dr|st|v)\.$/i;
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
        (ABBREVIATION.test(text.slice(Math.max(0, at - 8), at + 1)) || /^\d+\.$/.test(text.slice(start, at + 1).trim()))
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
