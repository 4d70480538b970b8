import { anyOf } from "./phrases.ts";

/** Words that negate, as sources of a regular expression: of languages with and without spaces between words. */
export const NEGATION = {
  spaced: "no|not|never|without|\\p{L}+n['’]t|dont|nicht|kein\\p{L}*|ohne|sin|nunca|pas|sans|não|sem|не|без",
  unspaced: "[不没无]|ない|なし",
};

const NEGATED = anyOf(NEGATION.spaced, NEGATION.unspaced);

/** Whether anything in a sentence is negated. */
export function isNegated(sentence: string): boolean {
  return NEGATED.test(sentence);
}
