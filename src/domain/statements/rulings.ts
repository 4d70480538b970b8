import { anyOf } from "../issue-text/phrases.ts";
import { isQuestion } from "../issue-text/sentences.ts";
import { isCourtesy } from "./sentence.ts";

/** Words, or signs of scripts without spaces: of an answer to a question, and of words about anything else. */
const FEW = { answer: { words: 6, signs: 14 }, other: { words: 4, signs: 9 } };
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Whether a sentence is so short that it is clear only beside what it answers: “Print a dash.”, “Exit 0.” */
export function isElliptic(sentence: string, isAnswer: boolean): boolean {
  const few = FEW[isAnswer ? "answer" : "other"];
  if (UNSPACED.test(sentence)) return sentence.length <= few.signs;
  return sentence.trim().split(/\s+/).length <= few.words;
}

/** Whether a few words refuse what was asked without naming it: “No, let's leave that.” */
export function refusesUnnamed(sentence: string): boolean {
  return isElliptic(sentence, true) && leadsWithNo(sentence) && UNNAMED.test(sentence);
}

const UNNAMED = anyOf("that|this|it|das|dies|es|ça|cela|le|eso|esto|lo|isso|isto|это|этого", "这|那|それ|これ");

/** A no to what somebody asked or proposed, and no “No problem, let's do that”. */
const LEADING_NO =
  /^(?:@[\w-]+[\s,:]*)?(?:(?:ok|okay|hm+|well|uh|so|na|bah|bueno|bom|ну)[\s,:.…]+)?(?:no|nope|nah|nein|nee|non|não|нет|meh|-1)(?![\p{L}\p{N}'’-])(?!\s+(?:problem|worr|objection|need to|doubt|question|hay (?:problema|de qué)|pasa nada))|^(?:いいえ|いや、|不[，,。])/iu;

export function leadsWithNo(sentence: string): boolean {
  return LEADING_NO.test(sentence);
}

/** About the report or the writer: it settles nothing. */
const REMARK = anyOf(
  "confirmed|(?:can(?:['’]?t| ?not)?|could(?:n['’]t)?|unable to) (?:reproduce|repro)|reproduced|duplicate of|which version|what version|what os|(?:i|we)(?:['’]m| am|['’]ll| will| can| could)? (?:have (?:a|another) |take (?:a|another) |get |come )?(?:look|back|check|try|see|investigate|torn|on it|busy|away|curious)\\p{L}*|let me (?:think|check|look|see|try)|labell?(?:ed|ing)|closing as|assigned|cc|ping|bump|see (?:also )?#\\d+|" +
    "bestätigt|(?:nicht )?reproduzier\\p{L}+|schaue? (?:ich|mir)|ich schaue?|confirmé|reprodui\\p{L}+|je regarde|confirmado|reproduc\\p{L}+|lo miro|reproduz\\p{L}+|vou ver|подтвержда\\p{L}+|воспроизв\\p{L}+|посмотрю",
  "确认|复现|重现|我看看|再現|確認します",
);

/**
 * Whether a sentence of somebody who decides, which no rule could read, may settle something. `isDiscussed`: it is about
 * something new, or others have spoken before; the first words about a fault mostly tell more of it.
 */
export function isRuling(
  sentence: string,
  { isAnswer, isDiscussed }: { isAnswer: boolean; isDiscussed: boolean },
): boolean {
  if (isQuestion(sentence) || !/\p{L}{2}|\p{N}/u.test(sentence)) return false;
  if (isAnswer) return !THANKS.test(sentence);
  if (isCourtesy(sentence) || REMARK.test(sentence)) return false;
  return isDiscussed || isElliptic(sentence, false);
}

const THANKS =
  /^(?:many |vielen )?(?:thanks?|thx|cheers|danke|merci|gracias|obrigad[oa]|спасибо)(?!\p{L})|^(?:谢谢|感谢|ありがとう)/iu;
