import { NO_EMOJI, clausesOf } from "./clauses.ts";
import { LANGUAGES, type RefusalPhrases } from "./refusal-words/languages.ts";
import { once } from "../lib/once.ts";

/** Whether words refuse: clearly, perhaps, or not at all. */
export type Refusal = "clear" | "doubtful" | null;

/** The compiled phrases of one language; each is searched for in one clause. */
interface Language {
  /** How a text is prepared for it: with diacritics, without, or without spaces too. */
  form: "marked" | "bare" | "close";
  harmless: RegExp;
  clear: RegExp;
  doubtful: RegExp;
  asked: RegExp;
}

/** Stands for harmless words that were taken out, and for what is set apart. */
const GAP = "#";

/** What the words as a whole amount to. */
export function refusalOfWords(words: string): Refusal {
  // Their colons would part them.
  const marked = words.replaceAll(NO_EMOJI, (emoji) => (emoji.startsWith(":") ? "🛑" : emoji));
  const found = marked.replaceAll(WRAPPED, " ").split("\n").map(refusalOfLine);
  return found.find((each) => each === "clear") ?? found.find((each) => each !== null) ?? null;
}

/**
 * Whether short words are in a script that none of the languages has, so that nobody can tell here what they are:
 * “หยุด”.
 */
export function isUnreadable(words: string): boolean {
  const letters = words.match(/\p{L}/gu) ?? [];
  const foreign = letters.filter((letter) => !READABLE.test(letter));
  return foreign.length > letters.length / 2 && words.length <= SHORT;
}

const READABLE =
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Common}\p{Script=Inherited}]/u;
/** Characters of words that say little beside a yes or a no. */
const SHORT = 40;

/** A later “go ahead” lifts what stands before it: “Wait, yes, go ahead.” */
function refusalOfLine(line: string): Refusal {
  let found: Refusal = null;
  for (const sentence of line.split(SENTENCE_END)) {
    const clauses = sentence.split(CLAUSE_END).filter((each) => each.trim() !== "");
    for (const [at, clause] of clauses.entries()) {
      const isAsked = at === clauses.length - 1 && /[?？؟]\s*$/.test(sentence);
      const refusal = refusalOfClause(clause, isAsked);
      if (refusal === "clear" || found === null) found = refusal;
      else if (refusal === null && clausesOf(clause).some(({ kind }) => kind === "explicit")) found = null;
    }
  }
  return found;
}

/** The end of a long line that no sign ends: mail programs wrap there. */
const WRAPPED = /(?<=[^\n]{60}[^\n.!?。！？:])\n(?=\S)/g;
const SENTENCE_END = /(?<=[!?。！？؟।])|(?<=\.)(?=\s)/u;
const CLAUSE_END = /[,;:!?、。，；：！？؟،؛।…\n()—–]+|\.(?=\s|$)|\.{2,}|\s-\s/u;
const DOUBTFUL_EMOJI =
  /[😕😟😬🙁☹🤨😰😨😱🚨😡🤬😠🤦😧😦😖😒😑🤢💩👀🙄]|⚠|🤔|:(?:thinking|confused|worried|warning|grimacing|rage|facepalm):/u;

/** Scripts that are read without spaces. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

function refusalOfClause(clause: string, isAsked: boolean): Refusal {
  const texts = {
    marked: tokens(clause.toLowerCase().normalize("NFC")),
    bare: tokens(withoutMarks(clause)),
    close: "",
  };
  if (UNSPACED.test(clause)) texts.close = texts.bare.replaceAll(" ", "");
  const harmlessIn = new Set<Language>();
  for (const language of compiled()) {
    const { form, harmless } = language;
    const rest = texts[form].replace(harmless, form === "close" ? GAP : ` ${GAP}`);
    if (rest === texts[form]) continue;
    harmlessIn.add(language);
    texts[form] = rest;
  }
  // Harmless words tell the language: “ne” may be no Czech refusal then.
  const languages = harmlessIn.size > 0 ? [...harmlessIn] : compiled();
  if (languages.some(({ form, clear }) => clear.test(texts[form]))) return "clear";
  if (harmlessIn.size === 0 && clausesOf(clause).some(({ kind }) => kind === "negative")) return "clear";
  const isDoubtful = languages.some(
    ({ form, doubtful, asked }) => doubtful.test(texts[form]) || (isAsked && asked.test(texts[form])),
  );
  return isDoubtful || DOUBTFUL_EMOJI.test(clause) ? "doubtful" : null;
}

/** Words between single spaces, with one at either end; drawn-out letters count once: “stopppp”. */
function tokens(clause: string): string {
  const words = clause
    .replaceAll("\u0000", GAP)
    .replaceAll(/['’‘´`\u200c]/g, "")
    .replaceAll(/(\p{L})\1{2,}/gu, "$1")
    .replaceAll(/[^\p{L}\p{M}\p{N}#]+/gu, " ")
    .trim();
  return ` ${words} `;
}

/** Letters that do not decompose into a base and a mark. */
const LETTERS: Readonly<Record<string, string>> = {
  ł: "l",
  ø: "o",
  đ: "d",
  ı: "i",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  أ: "ا",
  إ: "ا",
  آ: "ا",
  ى: "ي",
  ی: "ي",
  ک: "ك",
  ة: "ه",
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");

/** In small letters without diacritics, as people type in a hurry. */
function withoutMarks(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0640]/g, "")
    .normalize("NFC")
    .replaceAll(LETTER, (letter) => LETTERS[letter] ?? letter);
}

function compile({ spaced, marked = false, leadIns, parts, ...phrases }: RefusalPhrases): Language {
  const sourceOf = (phrase: string): string => {
    const written = phrase.replaceAll(
      /\{([a-z][a-z -]*)\}/g,
      (_, name: string) => `(?:${(parts[name] ?? []).join("|")})`,
    );
    const source = spaced
      ? written.replaceAll(" …", "(?: [^ ]+){0,4}").replaceAll("~", "[^ ]*").replaceAll("$", "(?= $)")
      : written.replaceAll(" ", "");
    return (marked ? source.normalize("NFC") : withoutMarks(source)).replaceAll("'", "");
  };
  const [before, after] = spaced ? [" ", "(?= )"] : ["", ""];
  const anyOf = (list: readonly string[]) => `${before}(?:${list.map(sourceOf).join("|")})${after}`;
  const beginning = `(?:^|${anyOf([GAP, ...leadIns])})`;
  const pattern = (list: readonly string[], flags = "u"): RegExp => {
    const first = list.filter((phrase) => phrase.startsWith("^")).map((phrase) => phrase.slice(1));
    const anywhere = list.filter((phrase) => !phrase.startsWith("^"));
    return new RegExp(`${anyOf(["(?!)", ...anywhere])}|${beginning}${anyOf(["(?!)", ...first])}`, flags);
  };
  return {
    form: spaced ? (marked ? "marked" : "bare") : "close",
    harmless: pattern(phrases.harmless, "gu"),
    clear: pattern(phrases.clear),
    doubtful: pattern(phrases.doubtful),
    asked: pattern(phrases.asked),
  };
}

const compiled = once((): readonly Language[] => LANGUAGES.map(compile));
