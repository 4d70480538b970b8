import { phrasePattern } from "../issue-text/phrases.ts";
import { isQuestion } from "../issue-text/sentences.ts";
import { MENTION, isCourtesy, withoutOpening } from "./sentence.ts";
import { anyWord, knownAmong, wordsOf } from "./words.ts";

/** What a clause of a sentence takes of what was said before: “substring” of “OK, substring then”; null without one. */
export function chosenIn(sentence: string, languages: readonly string[]): string | null {
  const known = knownAmong(languages);
  const clauses = sentence.replace(MENTION, "").split(CLAUSES);
  for (const clause of clauses) {
    for (const { concludes, opening, conjunction } of known) {
      const own = clause.replace(opening, "").replace(conjunction, "").trim();
      for (const phrase of concludes) {
        const chosen = phrase.exec(own)?.[1] ?? phrase.exec(clause.trim())?.[1];
        if (chosen !== undefined && !isCourtesy(chosen)) return chosen;
      }
    }
  }
  return null;
}

/** What is left of a sentence of a few words without a yes and the like: “OK, by name.”; null if it says more or nothing. */
export function bareIn(sentence: string, languages: readonly string[]): string | null {
  const known = knownAmong(languages);
  const own = known.reduce(
    (text, language) => withoutOpening(text.replaceAll(language.yielding, " ").replace(ENDS, ""), language),
    sentence,
  );
  const bare = known.reduce((text, { conjunction }) => text.replace(conjunction, ""), own.replace(ENDS, ""));
  return bare === "" || /[,;:?？]/.test(bare) || bare.split(/\s+/).length > FEW || isCourtesy(bare) ? null : bare;
}

const CLAUSES = /\s*[,;:.!，。；：！、]+(?:\s+|$)|\s+[–—-]\s+|[，。；：！]/u;
const ENDS = /^[\s,.!:;–—，。！：；、-]+|[\s,.!:;–—，。！：；、-]+$/gu;
/** Words. */
const FEW = 3;

/** Whether a text has each word of what was chosen, apart from articles. */
export function hasAll(text: string, chosen: string): boolean {
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(chosen)) return text.includes(chosen);
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu));
  return (chosen.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).every((word) => ARTICLE.test(word) || words.has(word));
}

const ARTICLE = phrasePattern(`^(?:${wordsOf("article").spaced})$`);

const LETTER = String.raw`\p{L}`;
/** Asks how something could be, and not how or whether somebody could help. */
const ASKS_FOR = anyWord("asksFor", LETTER);
/** Says how it should be; “it could be a race” and “that would explain it” explain. */
const ADVISES = anyWord("advises", LETTER);

/** “A or B” leaves open which. */
const OR = anyWord("or", LETTER);
/** Asks what the reader does or knows. */
const ASKS_READER = anyWord("asksReader", LETTER);

/** “The number, I'd say” says the number. */
export function withoutSoftener(sentence: string): string {
  return sentence.replace(SOFTENER, "");
}

const SOFTENER = phrasePattern(String.raw`[,;，、]?\s*(?:${wordsOf("softener").all})[.!。！]*$`);

/** Whether a sentence proposes something. */
export function isProposal(sentence: string): boolean {
  return (isQuestion(sentence) ? ASKS_FOR : ADVISES).test(sentence);
}

/** What a sentence leaves to whoever answers: which of several, whether something proposed, or something about the reader. */
export function leavesOpen(sentence: string): "choice" | "reader" | null {
  const isChoice = OR.test(sentence);
  if (!isChoice && !isQuestion(sentence)) return null;
  return ASKS_READER.test(sentence) || !(isChoice || isProposal(sentence)) ? "reader" : "choice";
}
