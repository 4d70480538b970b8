import anyAscii from "any-ascii";
import { detectLanguage } from "./language.ts";

const JAPANESE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** A text in ASCII letters, its words apart; of Japanese, what can be read without a dictionary. */
export function inLatin(text: string, language?: string): string {
  return anyAscii(spelled(text, language));
}

/**
 * With spaces between words, in scripts that have none. Japanese characters are read in many ways, and not as in Chinese:
 * of Japanese, only katakana and other letters stay.
 */
function spelled(text: string, language: string | undefined): string {
  const isJapanese = JAPANESE.test(text) && (language === "ja" || detectLanguage(text) === "ja");
  const read = isJapanese ? text.replaceAll(/[\p{Script=Han}\p{Script=Hiragana}]+/gu, " ") : text;
  if (!isJapanese && !WITHOUT_SPACES.test(text)) return text;
  return [...new Intl.Segmenter(language, { granularity: "word" }).segment(read)]
    .map(({ segment }) => segment)
    .join(" ");
}
