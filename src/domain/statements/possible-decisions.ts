import { phrasePattern } from "../issue-text/phrases.ts";
import { isQuestion } from "../issue-text/sentences.ts";
import { isCourtesy } from "./sentence.ts";
import { anyWord, beginsWith, wordsOf } from "./words.ts";

/** Words, or signs of scripts without spaces: of an answer to a question, and of words about anything else. */
const FEW = { answer: { words: 6, signs: 14 }, other: { words: 4, signs: 9 } };
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Whether a sentence is so short that it is clear only beside what it answers: “Print a dash.”, “Exit 0.” */
export function isShort(sentence: string, isAnswer: boolean): boolean {
  const few = FEW[isAnswer ? "answer" : "other"];
  if (UNSPACED.test(sentence)) return sentence.length <= few.signs;
  return sentence.trim().split(/\s+/).length <= few.words;
}

/** Whether a few words refuse what was asked without naming it: “No, let's leave that.” */
export function refusesUnnamed(sentence: string): boolean {
  return isShort(sentence, true) && leadsWithNo(sentence) && UNNAMED.test(sentence);
}

const UNNAMED = anyWord("unnamed");

/** A no to what somebody asked or proposed, and no “No problem, let's do that”. */
const REFUSES = wordsOf("refuses");
const LEADING_NO = phrasePattern(
  String.raw`^(?:@[\w-]+[\s,:]*)?(?:(?:${wordsOf("filler").spaced})[\s,:.…]+)?(?:${wordsOf("no").spaced}|${REFUSES.spaced})(?![\p{L}\p{N}'’-])(?!\s+(?:${wordsOf("reassures").spaced}))|^(?:${REFUSES.unspaced})`,
);

export function leadsWithNo(sentence: string): boolean {
  return LEADING_NO.test(sentence);
}

/** What a sentence begins with that is about the report or its reader: “works for me”, “I'll have a look”. */
const REMARK = beginsWith("remark", String.raw`(?:(?:${wordsOf("filler").spaced}|@[\w-]+)[\s,:.…]+)*`);
/** Where somebody would look first. */
const POINTER = phrasePattern(`(?:${wordsOf("pointer").all})[.!。]*$`);
/** Most words, or signs, of the circumstances after a remark, and what would say more. */
const CIRCUMSTANCES = { words: 6, signs: 9 };
const SAYS_MORE = /[;:–—、，]|,(?!\s+(?:in|on|at|with|auf|mit|unter|en|con|sur|avec|dans|em|no|na|в|на|с)\s)/u;

/** About the report or its reader, and nothing else: it settles nothing. “Works for me, behind a flag” does. */
function isRemark(sentence: string): boolean {
  if (POINTER.test(sentence)) return true;
  const found = REMARK.exec(sentence);
  if (found === null) return false;
  const rest = sentence.slice(found[0].length).replace(/[.!。]+$/u, "");
  const isFew = UNSPACED.test(rest)
    ? rest.length <= CIRCUMSTANCES.signs
    : rest.trim().split(/\s+/).length <= CIRCUMSTANCES.words;
  return isFew && !SAYS_MORE.test(rest);
}

/**
 * Whether a sentence of somebody who decides, which no rule could read, may settle something. `isDiscussed`: it is about
 * something new, or others have spoken before; the first words about a fault mostly tell more of it.
 */
export function mayDecide(
  sentence: string,
  { isAnswer, isDiscussed }: { isAnswer: boolean; isDiscussed: boolean },
): boolean {
  if (isQuestion(sentence) || asksBack(sentence) || !/\p{L}{2}|\p{N}/u.test(sentence)) return false;
  if (isAnswer) return !THANKS.test(sentence);
  if (isCourtesy(sentence) || isRemark(sentence)) return false;
  return isDiscussed || isShort(sentence, false);
}

const THANKS = beginsWith("thanks");

/** A question of a few words, without its mark: “what about max”, “who is that”. */
function asksBack(sentence: string): boolean {
  return isShort(sentence, true) && !/[.!]$/.test(sentence.trim()) && ASKING.test(sentence);
}

const ASKING = beginsWith(
  "asksBack",
  String.raw`(?:(?:and|but|so|hm+|ok|und|aber|et|mais|y|pero|e|mas|а|и|но)[\s,]+)?`,
);
