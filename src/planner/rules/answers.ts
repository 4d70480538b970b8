import { agreesToAll, answerKind, isSameAsAbove } from "../../approval/answer.ts";
import { answerWords } from "../../approval/answer-words.ts";
import type { ConversationMessage } from "../../domain/conversation.ts";
import { type Gap, type Topic, isAfterAsking } from "../../domain/gap.ts";
import { answerIn, answeredGap } from "../../domain/given-answer.ts";
import { asksAboutNumber, numberedParts } from "../../approval/numbered-answers.ts";

/** An open question that a message answered. */
export interface Answer {
  gap: Gap;
  note: string;
  seq: number;
  /** A mere yes: the note is what the question proposed to assume. */
  isAgreed: boolean;
}

const NOTE_LIMIT = 4_000;

/**
 * Finds which open questions the new messages answer. A numbered answer goes to its number, and one that a program gave
 * to the question that it names; an answer below a quoted question goes to that question; free text goes to the
 * questions whose topic it addresses, or to the most important one. A yes that names no question may be one to a plan,
 * and answers none.
 *
 * @param topicsOf the topics that a piece of free text addresses
 * @param mayAnswer whether this person may answer this question
 */
export function findAnswers(
  openGaps: Gap[],
  messages: ConversationMessage[],
  rules: {
    /** The whole thread, with Relay's own comments. */
    thread?: readonly ConversationMessage[];
    topicsOf: (text: string) => Topic[];
    mayAnswer: (message: ConversationMessage, gap: Gap) => boolean;
    /** Only politeness or a go-ahead: answers nothing. */
    saysNothing: (text: string) => boolean;
  },
): Answer[] {
  const answers = new Map<string, Answer>();
  for (const message of messages) {
    const asked = openGaps.filter(
      (gap) =>
        !answers.has(gap.id) && isAfterAsking(message, gap, rules.thread ?? messages) && rules.mayAnswer(message, gap),
    );
    let above = "";
    for (const { gap, note: said } of answersIn(message.content, asked, rules)) {
      const note = isSameAsAbove(said) && above !== "" ? above : said;
      const kind = answerKind(gap, note);
      above = kind === "nothing" ? "" : note;
      if (kind === "nothing") continue;
      const isAgreed = kind === "agreed";
      const text = isAgreed ? (gap.proposedDefault ?? "") : answerWords(note, gap.topic);
      answers.set(gap.id, { gap, note: text.slice(0, NOTE_LIMIT), seq: message.seq, isAgreed });
    }
  }
  return [...answers.values()];
}

function answersIn(
  text: string,
  gaps: Gap[],
  rules: { topicsOf: (text: string) => Topic[]; saysNothing: (text: string) => boolean },
): { gap: Gap; note: string }[] {
  if (gaps.length === 0) return [];
  const given = answeredGap(text);
  if (given !== null) {
    const gap = gaps.find(({ number }) => number === given);
    const note = answerIn(text);
    return gap === undefined || note === "" ? [] : [{ gap, note }];
  }
  const numbered = numberedParts(withoutQuotes(text), new Set(gaps.map(({ number }) => number)));
  const byNumber = gaps.flatMap((gap) => {
    const note = numbered.get(gap.number);
    return note === undefined || note === "" ? [] : [{ gap, note }];
  });
  if (byNumber.length > 0) return byNumber;
  const byQuote = quotedParts(text).flatMap(({ quote, reply }) => {
    const gap = gaps.find((one) => isQuoted(one, quote));
    const note = gap === undefined ? "" : withoutRest(gap, { quote, reply });
    return gap && note !== "" ? [{ gap, note }] : [];
  });
  if (byQuote.length > 0) return byQuote;
  const spoken = withoutQuotes(text);
  if (asksAboutNumber(spoken)) return [];
  if (spoken === "" || rules.saysNothing(spoken) || /[??]\s*$/.test(spoken)) return [];
  if (agreesToAll(spoken)) return gaps.map((gap) => ({ gap, note: "yes" }));
  const topics = rules.topicsOf(spoken);
  const byTopic = gaps.filter((gap) => gap.topic !== null && topics.includes(gap.topic));
  if (byTopic.length > 0) return byTopic.map((gap) => ({ gap, note: spoken }));
  // An ambiguous answer goes to the most important question.
  const [first] = gaps;
  return first ? [{ gap: first, note: spoken }] : [];
}

/** Whether a quotation is of this question, or of its number and beginning: “> 1. Must existing callers…”. */
function isQuoted(gap: Gap, quote: string): boolean {
  const { question } = gap;
  return folded(quote).includes(folded(question).slice(0, 60)) || beginningIn(gap, quote) !== null;
}

/** The beginning of this question that a quotation shows behind its number; null without one. */
function beginningIn({ number, question }: Pick<Gap, "number" | "question">, quote: string): string | null {
  const [, said = "", begun = ""] = /^\s*\**(?:Q\s?)?(\d{1,4})[.):]\**\s*(.*)$/u.exec(quote) ?? [];
  const beginning = folded(begun);
  const isOwn = Number(said) === number && beginning.length >= SHORTEST_QUOTE;
  return isOwn && folded(question).startsWith(beginning) ? beginning : null;
}

/** Without the line on which a mail program put the rest of the quoted question. */
function withoutRest(gap: Gap, { quote, reply }: { quote: string; reply: string }): string {
  const rest = folded(gap.question)
    .slice(beginningIn(gap, quote)?.length ?? Infinity)
    .trim();
  const [first = "", ...lines] = reply.split("\n");
  return rest !== "" && folded(first).startsWith(rest) ? lines.join("\n").trim() : reply;
}

/** Characters of a question's beginning that tell it from others with the number beside it. */
const SHORTEST_QUOTE = 8;

function quotedParts(text: string): { quote: string; reply: string }[] {
  const parts: { quote: string; reply: string }[] = [];
  for (const line of text.split("\n")) {
    const last = parts.at(-1);
    const quoted = /^[ \t]*>[ \t]?(.*)$/.exec(line)?.[1];
    if (quoted !== undefined) {
      if (last && last.reply === "") last.quote += ` ${quoted}`;
      else parts.push({ quote: quoted, reply: "" });
    } else if (last) {
      last.reply = `${last.reply}\n${line}`.trim();
    }
  }
  return parts;
}

function withoutQuotes(text: string): string {
  return text
    .split("\n")
    .filter((line) => !/^[ \t]*>/.test(line))
    .join("\n")
    .trim();
}

function folded(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
