import { EXPECTS, SHOULD } from "../issue-text/aspect-words.ts";
import { anyOf } from "../issue-text/phrases.ts";
import { forbidsPlaces } from "./places-meant.ts";
import { anyWord } from "./words.ts";

/** Verbs of staying in the indicative. */
const REMAINS = anyWord("remains");
/** Orders it, or says that it is as it was. */
const ORDERED = anyOf(
  "(?:un|in)changed|untouched|intact|the same|as (?:it|they) (?:is|are|was|were)|as (?:before|now)|please|must|may|can" +
    "|unverändert|unangetastet|unberührt|gleich|wie (?:bisher|gehabt|früher|es ist|sie sind)|so wie|bitte|darf|dürfen|kann|können" +
    "|inchangée?s?|intacte?s?|comme (?:avant|aujourd['’]hui)|tel(?:le)?s? quel(?:le)?s?|pareil(?:le)?s?|merci de|peu(?:t|vent)" +
    "|sin cambios?|intact[oa]s?|igual(?:es)?|como (?:antes|ahora|está[n]?)|por favor|puede[n]?" +
    "|inalterad[oa]s?|sem (?:mudanças?|alteraç\\p{L}+)|igua(?:l|is)|como (?:antes|está|estão)|pode[m]?" +
    "|без изменений|неизменн\\p{L}+|прежн\\p{L}+|как (?:есть|раньше|прежде|было)|пожалуйста|мо(?:жет|гут)",
  "不变|原样|一样|可以|请|変わら|変更しない|同じ|従来|ください",
);

/**
 * Whether a sentence of a report tells that something stays: “the first two remain reserved”. Nobody orders that, unless
 * the sentence demands it, or says that it stays as it is.
 */
export function tellsWhatRemains(sentence: string): boolean {
  return (
    ![SHOULD, EXPECTS, ORDERED].some((one) => one.test(sentence)) && REMAINS.test(sentence) && !forbidsPlaces(sentence)
  );
}
