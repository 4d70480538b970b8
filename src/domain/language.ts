import { detectAll } from "tinyld";

/** Latin languages that are told apart, with small words that only running text of the language has. */
const FUNCTION_WORDS: Record<string, string> = {
  en: "the is are was were of to and that this it with for on when if not but be have has should would can does doesn't don't we you from there which after",
  de: "der die das und nicht ist ein eine einen mit für auf wenn ich wir wird werden beim nach von zu den dem es sind auch aber nur bei sollte kann im keine kein dass noch",
  es: "el la los las y de que no es un una con para por cuando en se al del lo está pero como debería son sin más esto esta hay si",
  fr: "le la les et de des que ne pas est un une avec pour dans quand je nous il sur du au mais lorsque lors plus ce cette devrait sont être qui sans",
  pt: "o a os as e de que não é um uma com para por quando em se ao do da no na mas como deveria são sem mais isso está ser quero",
  it: "il la lo gli e di che non è un una con per quando in se al del mi ma come dovrebbe sono senza più questo della",
  pl: "nie jest się na i w z do że to jak po przy gdy ale powinno są dla jest co tylko nadal",
  nl: "de het een en niet is van met voor op als ik we wordt bij naar dat zijn ook maar zou kan geen",
};
const LATIN = Object.keys(FUNCTION_WORDS);
const CHARACTERS = 8_000;

/**
 * The language that people write in, as a two-letter code; `en` when it cannot be told. Code, traces and names are
 * left out first: an English report full of identifiers stays English.
 */
export function detectLanguage(text: string): string {
  const prose = proseOf(text.slice(0, CHARACTERS * 4)).slice(0, CHARACTERS);
  const letters = prose.match(/\p{L}/gu)?.length ?? 0;
  const share = (pattern: RegExp) => (prose.match(pattern)?.length ?? 0) / Math.max(1, letters);
  if (share(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu) > 0.1) return "ja";
  if (share(/\p{Script=Hangul}/gu) > 0.2) return "ko";
  if (share(/\p{Script=Han}/gu) > 0.15) return "zh";
  if (share(/\p{Script=Cyrillic}/gu) > 0.2) return /[їєіґ]/iu.test(prose) ? "uk" : "ru";
  return latinLanguage(prose);
}

/** Another language than English needs its own small words, and more of them than English has. */
function latinLanguage(prose: string): string {
  const words = prose.toLowerCase().match(/[\p{L}'’]+/gu) ?? [];
  const count = (language: string) => {
    const known = new Set((FUNCTION_WORDS[language] ?? "").split(" "));
    return words.filter((word) => known.has(word)).length;
  };
  const guesses = new Map(detectAll(prose, { only: LATIN }).map((guess) => [guess.lang, guess.accuracy]));
  const english = count("en");
  const [best] = LATIN.filter((language) => language !== "en")
    .map((language) => ({ language, words: count(language), guess: guesses.get(language) ?? 0 }))
    .toSorted((a, b) => b.words + 2 * b.guess - (a.words + 2 * a.guess));
  return best && best.words > english && best.guess >= (guesses.get("en") ?? 0) ? best.language : "en";
}

function proseOf(text: string): string {
  return text
    .replaceAll(/```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)/g, " ")
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/g, " ")
    .replaceAll(/`[^`\n]*`/g, " ")
    .replaceAll(/https?:\/\/\S+/g, " ")
    .replaceAll(/^[ \t]*(?:at |File "|Traceback|\w*Error:|\[\d|>|\|).*$/gm, " ")
    .replaceAll(/[\w.-]*[\w]+[._/\\:()=-]+[\w./\\()=-]+/g, " ")
    .replaceAll(/\b(?:[a-z]+[A-Z]\w*|[A-Z]{2,}\w*|\w*_\w*|\w*\d\w*)\b/g, " ");
}
