import { NEGATION } from "../issue-text/negation.ts";
import { anyOf, phrasePattern } from "../issue-text/phrases.ts";
import { shared, significantWords } from "../text/significant-words.ts";
import { besideValues, valuesIn } from "./rival-values.ts";
import { aboutOf, anyWord, wordsOf } from "./words.ts";

/** What a statement speaks of. */
export interface Subject {
  /** Its words without those of grammar, courtesy and deciding. */
  words: ReadonlySet<string>;
  /** It says that something is not to be, or no more. */
  isAgainst: boolean;
}

/** Besides negations, verbs and adverbs of taking away. */
const AGAINST = anyOf(
  `${NEGATION.spaced}|${wordsOf("against").spaced}`,
  `${NEGATION.unspaced}|${wordsOf("against").unspaced}`,
);
const EACH_AGAINST = new RegExp(AGAINST.source, "giu");
/** What comes beside what was said before, and not in its place. */
const BESIDES = anyWord("besides");
/** What a decision takes the place of: “B instead of A”. */
const INSTEAD = phrasePattern(
  String.raw`(?<!\p{L})(?:${wordsOf("inPlaceOf").spaced})\s+([^,.;:!?]{1,60})|${wordsOf("inPlaceOf").unspaced}`,
);
const NO = wordsOf("no");
/** A bare “no” answers a question. */
const ONLY_NO = phrasePattern(
  String.raw`^(?:@[\w-]+[\s,:]*)?(?:${NO.all})(?![\p{L}'’])[^\p{L}]*(?:${wordsOf("thanks").all})?[^\p{L}]*$`,
);

export function subjectOf(text: string, languages: readonly string[]): Subject {
  const own = text.replaceAll(LEAD, " ");
  const negations = [...own.matchAll(EACH_AGAINST)].length;
  return { words: new Set([...wordsIn(aboutOf(own, languages)), ...lettersIn(own)]), isAgainst: negations % 2 === 1 };
}

/** Whom it addresses, and a “no” to what was said. */
const LEAD = phrasePattern(
  String.raw`(?<![\p{L}\p{N}])(?:@[\w-]+|(?:${NO.spaced})(?=\s?[,:;–—-])|(?:${NO.unspaced})(?=[,:，、：]))`,
  "giu",
);
/** Grammar of Chinese: without spaces, it would stand in pairs with what a text is about. */
const CHINESE_GRAMMAR = /[不没要用一个我们咱吧了的加再想请把在先就还是而也都]/gu;

function wordsIn(text: string): Set<string> {
  const isChinese = !/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text);
  return significantWords(isChinese ? text.replaceAll(CHINESE_GRAMMAR, " ") : text);
}

/** “Option B” differs from “option A” by a letter alone. */
function lettersIn(text: string): string[] {
  return text.match(/(?<![\p{L}\p{N}])\p{Lu}(?![\p{L}\p{N}'’]|\s+\p{Ll})/gu) ?? [];
}

/** The words of what a sentence takes the place of; null if it names nothing. */
export function replacedIn(text: string): ReadonlySet<string> | null {
  const found = INSTEAD.exec(text);
  const name = found?.slice(1).find((one) => one !== undefined) ?? "";
  const words = new Set([...wordsIn(name), ...lettersIn(name)]);
  return words.size === 0 ? null : words;
}

/** Whether a sentence sets a value, and does not say of what: “it must be 14 days instead of 7”. */
export function setsOnlyValues(sentence: string, languages: readonly string[]): boolean {
  const { words } = subjectOf(sentence, languages);
  return valuesIn(sentence).length > 0 && besideValues(words, sentence, replacedIn(sentence)).size === 0;
}

export function isAgainst(text: string): boolean {
  return AGAINST.test(text);
}

export function addsTo(text: string): boolean {
  return BESIDES.test(text);
}

export function isOnlyNo(text: string): boolean {
  return ONLY_NO.test(text);
}

/**
 * How clearly a later statement is about the same as an earlier one, from 0 to 1: the share of the words of the shorter,
 * without those of the title, which any of them may have. Zero where both say the same.
 */
export function sameness(later: Subject, earlier: Subject, title: ReadonlySet<string>, isAnswer: boolean): number {
  const whole = shareOfAll(later.words, earlier.words);
  if (later.isAgainst === earlier.isAgainst && whole >= NEARLY_ALL) return 0;
  const [a, b] = [without(later.words, title), without(earlier.words, title)];
  if (a.size === 0 || b.size === 0) return whole >= NEARLY_ALL ? whole : 0;
  const found = shared(a, b);
  const fewer = Math.min(a.size, b.size);
  return found >= (isAnswer ? 1 : Math.min(2, fewer)) && found >= fewer * SAME ? found / fewer : 0;
}

/** Whether a later statement only repeats what an earlier one says. */
export function saysSame(later: Subject, earlier: Subject): boolean {
  const found = shared(later.words, earlier.words);
  return later.isAgainst === earlier.isAgainst && found > 0 && found >= later.words.size * SAME;
}

/** How clearly an earlier statement speaks of what a later one replaces, and not of what comes in its place. */
export function replaces(replaced: ReadonlySet<string>, later: Subject, earlier: Subject): number {
  const found = shared(replaced, earlier.words);
  const fresh = without(later.words, replaced);
  const isOfBoth = shared(fresh, earlier.words) >= Math.max(1, fresh.size * SAME);
  const isMain = found >= 2 || found >= earlier.words.size * MAIN;
  return isMain && !isOfBoth && found >= replaced.size * SAME ? found / replaced.size : 0;
}

const SAME = 0.5;
const MAIN = 0.3;
const NEARLY_ALL = 0.8;

function shareOfAll(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return shared(one, other) / Math.max(1, one.size, other.size);
}

function without(words: ReadonlySet<string>, others: ReadonlySet<string>): Set<string> {
  return new Set([...words].filter((word) => !others.has(word)));
}

/** Whether a text says most of what another one says. */
export function repeats(text: string, other: string): boolean {
  const words = significantWords(other);
  return shared(words, significantWords(text)) >= words.size * MOSTLY;
}

/** Whether two texts share most words of the shorter one. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [significantWords(one), significantWords(other)];
  const fewer = Math.min(a.size, b.size);
  return fewer > 0 && shared(a, b) >= Math.max(Math.min(2, fewer), fewer * MOSTLY);
}

/** Share of the words of a text that makes another one speak of the same. */
const MOSTLY = 0.6;
