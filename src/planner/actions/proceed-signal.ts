import { answersSomebody } from "../../approval/answers-somebody.ts";
import { canBeGoAhead } from "../../approval/go-ahead.ts";
import { ownWords } from "../../approval/own-words.ts";
import { stripHiddenText } from "../../domain/text/hidden-text.ts";
import { type BatchState, type JudgedMessage, isFromPerson } from "./batch-state.ts";

/** Characters of a signal that a message must contain (R-SPEC-2). */
const SIGNAL_LENGTH = 50;

/**
 * The messages of permitted people in which people see the proceed signal (R-ACT-2), as planners do: its first 50
 * characters, ignoring case and white space. They must be whole words of the person's own: quotes of other people's
 * questions and code do not count. And the text must be plausible as a go-ahead, not just any words, or a wish that
 * changes the current plan, and no answer to somebody else (R-SAFE-1, R-CONF-9).
 */
export function messagesWithSignal(
  signal: string,
  { messages, proceedAsked, wishes }: Pick<BatchState, "messages" | "proceedAsked" | "wishes">,
): JudgedMessage[] {
  return messages.filter(
    (message) =>
      message.permitted &&
      isFromPerson(message) &&
      holds(stripHiddenText(message.content).text, signal) &&
      holds(withoutEmphasis(ownWords(message.content)), withoutEmphasis(ownWords(signal))) &&
      !answersSomebody(message, messages) &&
      (wishes.includes(message.seq) || canBeGoAhead(message.content, { asked: proceedAsked && message.isNew })),
  );
}

function holds(content: string, signal: string): boolean {
  const text = fold(content);
  const whole = fold(signal);
  const words = whole.slice(0, SIGNAL_LENGTH);
  if (!/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(words)) return false;
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    if (!insideWord(text, at) && (words.length < whole.length || !insideWord(text, end))) return true;
  }
  return false;
}

/** Scripts that put spaces between words; in others, word boundaries are not visible. */
const LETTER = /[\p{N}\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}]/u;

function insideWord(text: string, position: number): boolean {
  return LETTER.test(text[position - 1] ?? "") && LETTER.test(text[position] ?? "");
}

function fold(text: string): string {
  return text.normalize("NFC").toLowerCase().replaceAll(/\s+/g, " ").trim();
}

/** A signal may begin or end within emphasized text. */
function withoutEmphasis(words: string): string {
  return words.replaceAll(/[*_]+/g, "");
}
