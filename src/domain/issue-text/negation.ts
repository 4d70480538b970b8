import { anyOf } from "./phrases.ts";

/** Words that negate, as sources of a regular expression: of languages with and without spaces between words. */
export const NEGATION = {
  spaced:
    "no|not|never|nothing|none|nobody|without|\\p{L}+n['’]t|dont|nicht|nichts|kein\\p{L}*|ohne|sin|nunca|nada|ning[uú]n\\p{L}*|pas|sans|aucune?|não|sem|nenhum\\p{L}*|не|без|никак\\p{L}*|ничего",
  unspaced: "[不没无]|ない|なし",
};

const NEGATED = anyOf(NEGATION.spaced, NEGATION.unspaced);

/** Whether anything in a sentence is negated. */
export function isNegated(sentence: string): boolean {
  return NEGATED.test(sentence);
}
