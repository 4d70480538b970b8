import { anyOf, phrasePattern } from "../issue-text/phrases.ts";
import { once } from "../../lib/once.ts";
import de from "./words/de.json" with { type: "json" };
import en from "./words/en.json" with { type: "json" };
import es from "./words/es.json" with { type: "json" };
import fr from "./words/fr.json" with { type: "json" };
import ja from "./words/ja.json" with { type: "json" };
import pt from "./words/pt.json" with { type: "json" };
import ru from "./words/ru.json" with { type: "json" };
import zh from "./words/zh.json" with { type: "json" };

/** The words of one language by what they tell about a sentence, in `words/*.json`: sources of regular expressions. */
type Words = typeof en;
type Key = { [K in keyof Words]: Words[K] extends string[] ? K : never }[keyof Words];

export const LANGUAGES = { en, de, es, fr, ja, pt, ru, zh };

/** The words under a key in all languages, and by whether spaces stand between words: each matches nothing if there are none. */
export function wordsOf(key: Key) {
  const of = (isIn: (isSpaced: boolean) => boolean) =>
    Object.values(LANGUAGES)
      .flatMap((words) => (isIn(words.spaced) ? words[key] : []))
      .join("|") || "(?!)";
  return { spaced: of((isSpaced) => isSpaced), unspaced: of((isSpaced) => !isSpaced), all: of(() => true) };
}

/** Matches any of the words under a key, whatever the language, as `anyOf` does. */
export function anyWord(key: Key, letters?: string): RegExp {
  const { spaced, unspaced } = wordsOf(key);
  return anyOf(spaced, unspaced, letters);
}

/** Matches a text that begins with one of the words under a key, after what may stand `before` it. */
export function beginsWith(key: Key, before = ""): RegExp {
  const { spaced, unspaced } = wordsOf(key);
  return phrasePattern(String.raw`^${before}(?:(?:${spaced})(?!\p{L})|${unspaced})`);
}

/** What stands between words that are not set apart. */
const BETWEEN = '[^\\p{L}\\p{N}`"“”«»„「」『』]';

/** The phrases of each language, compiled when they are first needed. */
export const compiled = once((): Readonly<Record<string, Language>> =>
  Object.fromEntries(Object.entries(LANGUAGES).map(([code, words]) => [code, compile(words)])),
);

/** The phrases of those of these languages that have some. */
export function knownAmong(languages: readonly string[]): Language[] {
  return languages.flatMap((code) => compiled()[code] ?? []);
}

export type Language = ReturnType<typeof compile>;

function compile(words: Words) {
  const any = (list: readonly string[]) => (words.spaced ? anyOf(list.join("|")) : phrasePattern(list.join("|")));
  // A dash before a word begins it: “-m”.
  const separated = String.raw`(?:[\s,.!:;，。！：；、…)]|[–—-](?![\p{L}\p{N}-]))`;
  return {
    /** Followed by punctuation, so that “right now” keeps its “right”. */
    opening: phrasePattern(
      String.raw`^(?:${words.opening.join("|")})(?:\s*(?:@[\w-]+|[\p{Extended_Pictographic}\uFE0F]+|:\w+:))*\s*(?:[,.!:;，。！：；、…–—-]${separated}*|$)`,
    ),
    conjunction: phrasePattern(
      String.raw`^(?:${words.conjunction.join("|")})${words.spaced ? String.raw`[\s,]+` : "[、，]?"}`,
    ),
    /** Words that ask for help, thank or greet, from end to end; names, code and quotations are none. */
    courtesy: phrasePattern(
      String.raw`^${BETWEEN}*(?:(?:${words.courtesy.join("|")})${words.spaced ? String.raw`(?![\p{L}\p{N}_])` : ""}${BETWEEN}*)+$`,
    ),
    mends: any(words.mends),
    /** What is left of a sentence without these has words of its own. */
    small: phrasePattern(any([...words.mends, ...words.courtesy, ...words.small]).source, "giu"),
    aside: any(words.aside),
    tell: any(words.tell),
    request: any(words.request),
    choice: any(words.choice),
    condition: any(words.condition),
    bound: any(words.bound),
    /** Finds each of them. */
    bounds: phrasePattern(any(words.bound).source, "giu"),
    wish: any(words.wish),
    /** A clause that tells why, up to its end: what it needs is not what is asked for. */
    reason: phrasePattern(`(?:${any(words.reason).source})[^,;:，；：、]*`, "giu"),
    fact: any(words.fact),
    agreement: any(words.agreement),
    correction: any(words.correction),
    concedes: any(words.concedes),
    /** Finds each of them. */
    yielding: phrasePattern(any([...words.agreement, ...words.concedes]).source, "giu"),
    deciding: phrasePattern(
      any([...words.correction, ...words.choice, ...words.agreement, ...words.concedes]).source,
      "giu",
    ),
    concludes: words.concludes.map((phrase) => concluding(phrase, words.spaced)),
  };
}

/** A whole clause that takes one of the things said before: “stdout it is”. */
function concluding(phrase: string, isSpaced: boolean): RegExp {
  const word = "(?:`[^`]+`|[\\p{L}\\p{N}_.+%-]*[\\p{L}\\p{N}_+%])";
  const chosen = isSpaced ? `(${word}(?: ${word}){0,3})` : "([^\\s，。！？、]{1,14}?)";
  return phrasePattern(`^${phrase.replace("<x>", chosen)}$`);
}

/** The words of a sentence that say what it is about: without those of deciding, correcting, grammar and courtesy. */
export function aboutOf(sentence: string, languages: readonly string[]): string {
  return knownAmong(languages).reduce(
    (text, { deciding, small }) => text.replaceAll(deciding, " ").replaceAll(small, " "),
    sentence,
  );
}
