import { asks, clausesOf, isDoubtful, wordsOf } from "./clauses.ts";
import { answeredGap } from "../domain/given-answer.ts";
import { isReservation } from "./lexicon.ts";
import { isNegative, readReply, refusalIn, saysYes } from "./read-reply.ts";

export type ProceedSignal = { proceed: true; excerpt: string } | { proceed: false; reason: string };

/** Answers contain logs; a go-ahead is not searched for in longer texts. */
const LONGEST_ANSWER = 20_000;

/**
 * Finds a go-ahead for the spec in the text. If Relay asked for it, a mere yes is enough; unasked, or in a message that
 * also answers questions, it must be a sentence of its own that names the action: “go ahead”, “write the spec”.
 */
export function proceedSignal(text: string, given: { asked: boolean }): ProceedSignal {
  if (answeredGap(text) !== null) return no("a program gave it as the answer to a question");
  const words = wordsOf(text, LONGEST_ANSWER);
  if (words === null) return no("it is too long");
  const sentences = sentencesOf(words);
  const own = new Set(sentences.map((sentence) => unmarked(sentence.text)));
  const reply = readReply(text);
  if (reply.kind === "approve" && (given.asked || reply.explicit)) {
    const excerpt =
      excerptOf(text, own, isGoAhead) ?? excerptOf(text, own, (sentence) => clausesOf(sentence).some(saysYes));
    if (excerpt !== null) return { proceed: true, excerpt };
  }
  if (asks(words)) return no("it asks something");
  const at = sentences.findIndex((sentence) => isGoAhead(sentence.text) && !sentence.isContinued);
  const goAhead = sentences[at];
  if (goAhead === undefined) return no(reply.reason);
  const next = sentences[at + 1];
  if (next && isReservation(next.text) && !isKnown(next.text)) return no("it is taken back");
  const stoppedBy = sentences.find(({ text: sentence, isAnswer }) => !isAnswer && clausesOf(sentence).some(isNegative));
  if (stoppedBy) return no(`“${stoppedBy.text.slice(0, 60)}” speaks against it`);
  const excerpt = excerptOf(text, new Set([unmarked(goAhead.text)]), isGoAhead);
  return excerpt === null ? no("it does not stand in the text as people see it") : { proceed: true, excerpt };
}

/**
 * Whether a message can be the go-ahead that a model takes it for. Rules cover the languages they know; if Relay has
 * just asked, a reply they cannot read is left to the model, unless it asks back or rejects. Unasked, words that say to
 * start are required: otherwise any words could talk the model into giving itself the go-ahead (R-SAFE-1).
 */
export function canBeGoAhead(text: string, given: { asked: boolean }): boolean {
  if (proceedSignal(text, given).proceed) return true;
  const words = answeredGap(text) === null ? wordsOf(text, LONGEST_ANSWER) : null;
  if (words === null || !/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(words) || asks(words)) return false;
  if (refusalIn(text) === "clear") return false;
  return given.asked || clausesOf(words).some((clause) => clause.kind === "explicit");
}

const SENTENCE_END = /(?<=[.!])(?<!\b(?:e\.g|i\.e|z\.b|vs|etc|resp|т\.е|т\.к|напр)\.)\s+|(?<=[。！])|\n+/iu;
const ANSWER = /^[ \t]*(?:[-*][ \t]+)?\**(?:Q|gap )?\d{1,4}\**[.):]/i;

interface Sentence {
  text: string;
  /** Continues an unfinished line: “Once the tests pass / go ahead”, “The docs say: / go ahead”. */
  isContinued: boolean;
  /** In a numbered answer: “2. No.” retracts nothing, and “2. Go ahead.” answers only its question. */
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

/** Every clause is known, and none rejects. */
function isKnown(words: string): boolean {
  return clausesOf(words).every((clause) => saysYes(clause) || clause.kind === "polite");
}

/** Every clause is known, and one of them names the action. */
function isGoAhead(words: string): boolean {
  const clauses = clausesOf(words);
  return clauses.some(({ kind }) => kind === "explicit") && !isDoubtful(clauses) && isKnown(words);
}

/** The first sentence of the text, as written, that equals one of the writer's own and fits. */
function excerptOf(text: string, own: ReadonlySet<string>, fits: (words: string) => boolean): string | null {
  for (const line of text.split(/\r\n?|\n/)) {
    for (const sentence of line.split(SENTENCE_END)) {
      const words = sentence.trim() === "" ? "" : unmarked((wordsOf(sentence) ?? "").replace(ANSWER, ""));
      if (own.has(words) && fits(words)) return sentence.trim();
    }
  }
  return null;
}

/** Without the marks of emphasis, which may begin in one sentence and end in another. */
function unmarked(words: string): string {
  return words.replaceAll(/[*_]+/g, "").trim();
}

function no(reason: string): ProceedSignal {
  return { proceed: false, reason };
}
