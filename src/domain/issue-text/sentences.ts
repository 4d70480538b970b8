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
/** Before the dot of an ordinal, which German writes after the number, stands a word like these. */
const COUNTED =
  /(?:^|[\s(„"'])(?:de[rmns]|die|das|am|a[bn]|vom|zum|zur|beim?|im|ins?|bis|seit|nach|vor|jede[rmns]?|eine?[rmns]?|kein\p{L}*|(?:mein|dein|sein|ihr|unser)\p{L}*|diese[rmns]?|erst am|und|oder|[–-]) ?\d{1,3}\.$/iu;
const MONTH =
  /^\s+(?:jan|feb|märz|mär|apr|mai|juni?|juli?|aug|sept?|okt|nov|dez)(?:uar|ruar|ember|ober|il|ust)?(?!\p{Ll})/iu;
/** A capital after an ordinal is that of a noun; these words begin a sentence. */
const OPENS_GERMAN =
  /^\s+(?:danach|dann|das|dies\p{L}*|der|die|ein\p{L}*|es|ich|wir|sie|er|ihr|man|bei|wenn|aber|und|oder|laut|in|im|an|am|auf|mit|nach|vor|auch|hier|jetzt|leider|bitte|wie|warum|was|wo|so|nun|aktuell|zur?zeit|erwartet|deshalb|daher|dadurch|trotzdem|außerdem|beim?|seit|ohne|unter|kein\p{L}*|alle\p{L}*|nur|schon|noch|vielleicht|kann|könn\p{L}*|soll\p{L}*|ist|sind|wird|werden|hat|haben|the|it|we|if|when|this|that)(?!\p{L})/iu;
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
          isOrdinal(text, at) ||
          /^[*_\s]*\d+\.$/.test(text.slice(start, at + 1)))
      )
        continue;
      // What closes behind the mark belongs to the sentence, which may go on: `"It fails." there`.
      const [closed = ""] = /^["'”»)\]*_]*/.exec(text.slice(at + 1, at + 6)) ?? [];
      if (/["'”»]/.test(closed) && /^\s+\p{Ll}/u.test(text.slice(at + 1 + closed.length, at + 12))) continue;
      push(at + 1 + closed.length);
    } else if (/[。！？]/.test(character)) {
      push(at + 1);
    }
  }
  push(text.length);
  return found;
}

/** Whether a dot belongs to a number: “der 29. müsste”, “(8., 15., 22. Januar)”, “im 2. Quartal”. */
function isOrdinal(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 20), at + 1);
  if (!/(?<![\p{L}\d.,])(?:\d{1,2}\.)?\d{1,3}\.$/u.test(before)) return false;
  const after = text.slice(at + 1, at + 20);
  if (/^\s+[\p{Ll}–-]/u.test(after) || MONTH.test(after)) return true;
  return COUNTED.test(before) && /^\s+\p{Lu}/u.test(after) && !OPENS_GERMAN.test(after);
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
