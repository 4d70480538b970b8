import { isReservation } from "../lexicon.ts";
import { replyVerdict, saysYes } from "./verdict.ts";
import type { Clause } from "./words.ts";
import { FENCED_CODE, asks, clausesOf, isDoubtful, ownWords } from "./words.ts";

export type ProceedSignal = { proceed: true; excerpt: string } | { proceed: false; reason: string };

/** Answers come with logs; in more than that nobody looks for a go-ahead. */
const LONGEST_ANSWER = 20_000;

/**
 * A go-ahead for the spec, as it stands in the text. Asked for it, a mere yes will do; unasked, or within a message
 * that also answers questions, it must be a sentence of its own that says what to do: “go ahead”, “write the spec”.
 */
export function proceedSignal(text: string, given: { asked: boolean }): ProceedSignal {
  const words = ownWords(text, LONGEST_ANSWER);
  if (words === null) return no("it is too long");
  const verdict = replyVerdict(text);
  if (verdict.verdict === "affirmative" && (given.asked || clausesOf(words).some(isExplicit))) {
    const excerpt = verbatim(text, isGoAhead) ?? verbatim(text, holdsYes);
    if (excerpt !== null) return { proceed: true, excerpt };
  }
  if (asks(words)) return no("it asks something");
  const sentences = sentencesOf(words);
  const at = sentences.findIndex((sentence) => isGoAhead(sentence.text) && !sentence.isContinued);
  if (at === -1) return no(verdict.reason);
  const next = sentences[at + 1];
  if (next && isReservation(next.text) && !isKnown(next.text)) return no("it is taken back");
  const stoppedBy = sentences.find(({ text: said, isAnswer }) => !isAnswer && clausesOf(said).some(isNegative));
  if (stoppedBy) return no(`“${stoppedBy.text.slice(0, 60)}” speaks against it`);
  const goAhead = sentences[at]?.text;
  const excerpt = verbatim(text, (sentence) => isGoAhead(sentence) && ownWords(sentence) === goAhead);
  return excerpt === null ? no("it does not stand in the text as people see it") : { proceed: true, excerpt };
}

/** Nothing but politeness, in words or in an emoji. */
export function thanksOnly(text: string): boolean {
  const words = ownWords(text) ?? "unread";
  return clausesOf(words).every(({ kind }) => kind === "polite") && !asks(words);
}

/** Told to stop or to wait, and nothing else: “stop”, “hold on, please”, “подожди”. */
export function stopSignal(text: string): boolean {
  const words = ownWords(text);
  if (words === null || asks(words)) return false;
  const clauses = clausesOf(words);
  return (
    clauses.some(({ stops }) => stops) &&
    clauses.every(({ kind, stops }) => stops || kind === "polite" || kind === "negative")
  );
}

const SENTENCE_END = /(?<=[.!])(?<!\b(?:e\.g|i\.e|z\.b|vs|etc|resp|т\.е|т\.к|напр)\.)\s+|(?<=[。！])|\n+/iu;
const ANSWER = /^[ \t]*(?:[-*][ \t]+)?\**(?:Q|gap )?\d{1,4}\**[.):]/i;

interface Sentence {
  text: string;
  /** Goes on from a line that breaks off: “Once the tests pass / go ahead”, “The docs say: / go ahead”. */
  isContinued: boolean;
  /** In a numbered answer: “2. No.” takes nothing back, and “2. Go ahead.” answers only its question. */
  isAnswer: boolean;
}

function sentencesOf(words: string): Sentence[] {
  const sentences: Sentence[] = [];
  let before = "";
  let afterBlank = true;
  for (const line of words.split("\n").map((each) => each.trim())) {
    if (line === "") {
      afterBlank = true;
      continue;
    }
    const isAnswer = ANSWER.test(line);
    const parts = line.replace(ANSWER, "").split(SENTENCE_END);
    for (const [index, part] of parts.entries()) {
      const text = part.trim();
      if (text === "") continue;
      const isContinued = index > 0 ? false : breaksOff(before, afterBlank);
      sentences.push({ text, isContinued: isContinued || (isAnswer && index === 0), isAnswer });
    }
    before = line;
    afterBlank = false;
  }
  return sentences;
}

/** Wrapped lines are one sentence, unless the first is an answer or a known phrase without a condition. */
function breaksOff(before: string, afterBlank: boolean): boolean {
  if (before === "") return false;
  if (/[:：,，、;(–—-]$/u.test(before)) return true;
  if (afterBlank || /[.!。！)]$/u.test(before) || isKnown(before)) return false;
  return !ANSWER.test(before) || isReservation(before.replace(ANSWER, "").replace(/^\s*\p{L}+$/u, ""));
}

function isExplicit({ kind }: Clause): boolean {
  return kind === "explicit";
}

function isNegative({ kind }: Clause): boolean {
  return kind === "negative";
}

function holdsYes(sentence: string): boolean {
  return clausesOf(ownWords(sentence) ?? "").some(saysYes);
}

/** Every clause is known, and none says no. */
function isKnown(sentence: string): boolean {
  return clausesOf(ownWords(sentence) ?? "").every((clause) => saysYes(clause) || clause.kind === "polite");
}

/** Every clause is known, and one of them says what to do. */
function isGoAhead(sentence: string): boolean {
  const clauses = clausesOf(ownWords(sentence) ?? "");
  return clauses.some(isExplicit) && !isDoubtful(clauses) && isKnown(sentence);
}

/** The first sentence of the text itself, outside of quotes and code, that fits. */
function verbatim(text: string, fits: (sentence: string) => boolean): string | null {
  const lines = text
    .replaceAll(FENCED_CODE, "")
    .split(/\r\n?|\n/)
    .filter((line) => !/^[ \t]*>|^(?: {4}|\t)/.test(line));
  for (const line of lines) {
    for (const sentence of line.split(SENTENCE_END)) {
      if (sentence.trim() !== "" && fits(sentence)) return sentence.trim();
    }
  }
  return null;
}

function no(reason: string): ProceedSignal {
  return { proceed: false, reason };
}
