import { createRequire } from "node:module";
import type * as TinyLd from "tinyld/light";
import { textOf } from "../../lib/markdown.ts";
import { LATIN_WORDS } from "./language-words.ts";

/** The languages that can be detected. Relay writes in fewer of them. */
export type Language = "en" | "ru" | "uk" | "de" | "es" | "fr" | "pt" | "it" | "pl" | "nl" | "zh" | "ja" | "ko";

type LatinLanguage = keyof typeof LATIN_WORDS;

const CHARACTERS = 8_000;

/**
 * The language that people write an issue in (R-PLAN-10); `en` if it cannot be detected. Code, traces, quoted labels
 * and names are left out first: an English report full of identifiers stays English. Reads the first 32,000 characters
 * at most.
 */
export function detectLanguage(text: string): Language {
  const prose = proseOf(text.slice(0, CHARACTERS * 4)).slice(0, CHARACTERS);
  return scriptLanguage(prose) ?? latinLanguage(prose);
}

/** Latin words beside another script are mostly names, so a few of the other letters decide. */
function scriptLanguage(prose: string): Language | null {
  const count = (pattern: RegExp) => prose.match(pattern)?.length ?? 0;
  const words = count(/(?<![\p{L}\d])\p{Script=Latin}+(?![\p{L}\d])/gu);
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const han = count(/\p{Script=Han}/gu);
  const hangul = count(/\p{Script=Hangul}/gu);
  const cyrillic = count(/\p{Script=Cyrillic}+/gu);
  const most = Math.max(kana + han, hangul, cyrillic);
  // A Chinese, Japanese or Korean word has about two characters.
  const others = Math.max((kana + han) / 2, hangul / 2, cyrillic);
  const english = evidence("en", wordsOf(prose));
  const namesOnly = english === 0 && words <= others * 4;
  if (most === 0 || (others * 1.6 < words && !namesOnly)) return null;
  if (most === hangul) return "ko";
  if (most === kana + han) return (kana > 0 && kana * 12 > han) || JAPANESE_FORMS.test(prose) ? "ja" : "zh";
  return isUkrainian(prose) ? "uk" : "ru";
}

/** Characters that only Japanese writes in this form: enough for titles without kana. */
const JAPANESE_FORMS = /[証検処売読発変実図帰円広転込働駅権済価仮戻続択歴応]/u;

/** By letters that only one of the two has; short titles may have none, then by endings and small words. */
function isUkrainian(prose: string): boolean {
  const own = prose.match(/[їєіґ]/giu)?.length ?? 0;
  const russian = prose.match(/[ыэёъ]/giu)?.length ?? 0;
  if (own + russian > 0) return own > russian;
  return /(?<!\p{L})(?:та|або|якщо|щоб|вхід|додати|видалити|немає|потрібно|помилка|темну)(?!\p{L})|(?:ання|ення)(?!\p{L})/iu.test(
    prose,
  );
}

/** Points of evidence that a text needs to be anything but English. */
const ENOUGH = 1.4;
/** Two languages whose scores differ by less are not distinguished by words alone. */
const CLOSE = 0.35;

function latinLanguage(prose: string): LatinLanguage {
  const words = wordsOf(prose);
  const scored = languages()
    .map((language) => ({ language, points: evidence(language, words) + punctuation(language, prose) }))
    .toSorted((a, b) => b.points - a.points);
  const english = scored.find(({ language }) => language === "en")?.points ?? 0;
  const [first, second] = scored.filter(({ language }) => language !== "en");
  if (!first || first.points <= english) return "en";
  if (first.points < ENOUGH)
    return english === 0 && first.points >= 1 && guess(prose, "en", first.language) === first.language
      ? first.language
      : "en";
  if (second && first.points - second.points < CLOSE) return guess(prose, first.language, second.language);
  return first.language;
}

function wordsOf(prose: string): string[] {
  return prose.match(/[\p{L}'’-]+/gu) ?? [];
}

function languages(): LatinLanguage[] {
  return ["en", "de", "es", "fr", "pt", "it", "pl", "nl"];
}

function evidence(language: LatinLanguage, words: readonly string[]): number {
  const { own, shared, letters } = LATIN_WORDS[language];
  let points = 0;
  let single = 0;
  for (const written of words) {
    const word = written.toLowerCase().replaceAll("’", "'");
    // French and Italian articles are attached to their word.
    const [, article, bare = word] = /^([dlnsjcm]|qu|all|dell|nell|un)'(.+)$/u.exec(word) ?? [];
    let worth = 0;
    if (own.has(word) || own.has(bare)) worth = 1;
    else if (shared.has(word)) worth = 0.4;
    // A capital opens a name as often as a sentence: Müller, São Paulo.
    else if (letters?.test(written) && /^\p{Ll}./u.test(written)) worth = 1;
    if (article !== undefined && !own.has(word) && language === (article.length > 2 || article === "un" ? "it" : "fr"))
      worth += 0.4;
    if (word.length === 1) single += worth;
    else points += worth;
  }
  // Single letters are columns and variables too; they count beside words only.
  return points + Math.min(points, single);
}

/** Marks that only Spanish has. */
function punctuation(language: LatinLanguage, prose: string): number {
  return language === "es" && /[¿¡]/u.test(prose) ? 1 : 0;
}

/** The likelier of the two, by letter groups; loaded on first use, since loading takes tens of milliseconds. */
function guess(prose: string, one: LatinLanguage, other: LatinLanguage): LatinLanguage {
  const load: (name: "tinyld/light") => typeof TinyLd = createRequire(import.meta.url);
  const [best] = load("tinyld/light").detectAll(prose, { only: [one, other] });
  return best?.lang === other ? other : one;
}

/** Removes text that people did not write in their own language. */
function proseOf(text: string): string {
  return (
    textOf(text, ["text", "link", "struck", "folded"])
      .normalize("NFC")
      // Keys and encoded data; what follows would look for names in them again and again.
      .replaceAll(/[!-~]{60,}/g, " ")
      .replaceAll(/https?:\/\/\S+/g, " ")
      .replaceAll(/^(?: {4}|\t|[ \t]*(?:at |>|\||File "|Traceback|goroutine|\[\d)).*$/gm, " ")
      .replaceAll(/\b[A-Z][a-z]\w*(?:Error|Exception)\b(?::[ \t][\x20-\x7e]*?(?=[,;.]|[^\x20-\x7e]|$))?/g, " ")
      .replaceAll(/(?<![\p{L}\d])(["'«“„‘])[^"'«»“”„‘’\n]{1,80}["'»”“’](?![\p{L}\d])/gu, " ")
      .replaceAll(/[\w.@-]*\w[._/\\:()=@-]+[\w./\\()=@-]*\w[\w./\\()=@-]*(?:\(\))?/g, (found) =>
        /^[A-Za-z]+(?:-[A-Za-z]+)+[.:]?$/.test(found) ? found : " ",
      )
      .replaceAll(
        /(?<![\p{L}\d])(?:[a-z]+[A-Z]\w*|[A-Z]{2,}\w*|[A-Z][a-z]+[A-Z]\w*|\w*_\w*|\w*\d\w*)(?![\p{L}\d])/gu,
        " ",
      )
  );
}
