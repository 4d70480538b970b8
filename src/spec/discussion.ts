import type { ConversationMessage } from "../domain/conversation.ts";
import type { Gap } from "../domain/gap.ts";

/** Characters of a discussion that go to a generator; longer ones lose their middle. */
const BUDGET = 400_000;
/** Messages at the beginning that are always kept. */
const FIRST = 10;
const SIGNAL_LENGTH = 50;

/** A message as a generator reads it: with the gap that it answers and whether it says go (R-SPEC-2). */
export interface AnnotatedMessage extends ConversationMessage {
  answersGap: number | null;
  isProceed: boolean;
}

/** Whether a message contains the first 50 characters of the go-ahead, whatever their case and spacing. */
export function saysProceed(content: string, signal: string): boolean {
  const start = folded(signal).slice(0, SIGNAL_LENGTH).trim();
  return start !== "" && folded(content).includes(start);
}

export function annotate(messages: ConversationMessage[], gaps: Gap[], signal: string): AnnotatedMessage[] {
  return messages.map((message) => ({
    ...message,
    answersGap: gaps.find((gap) => answers(message, gap))?.number ?? null,
    isProceed: message.role !== "self" && saysProceed(message.content, signal),
  }));
}

/** The full discussion as XML (R-SPEC-2), cut in the middle by a budget in characters, with a visible mark. */
export function renderDiscussion(messages: AnnotatedMessage[], budget: number = BUDGET): string {
  const rendered = messages.map((message) => ({ message, xml: renderMessage(message) }));
  const kept = keep(rendered, budget);
  const parts: string[] = [];
  let omitted = 0;
  const flush = () => {
    if (omitted > 0) parts.push(`<omitted messages="${omitted}"/>`);
    omitted = 0;
  };
  for (const one of rendered) {
    if (kept.has(one)) {
      flush();
      parts.push(one.xml);
    } else {
      omitted += 1;
    }
  }
  flush();
  return `<conversation>\n${parts.join("\n")}\n</conversation>`;
}

/** The first messages, every annotated one, then the newest, as long as there is room. */
function keep<T extends { message: AnnotatedMessage; xml: string }>(rendered: T[], budget: number): Set<T> {
  const annotated = rendered.filter(({ message }) => message.answersGap !== null || message.isProceed);
  const kept = new Set<T>();
  let left = budget;
  for (const one of [...annotated, ...rendered.slice(0, FIRST), ...rendered.toReversed()]) {
    if (kept.has(one)) continue;
    if (one.xml.length > left) break;
    kept.add(one);
    left -= one.xml.length;
  }
  return kept;
}

function answers(message: ConversationMessage, gap: Gap): boolean {
  if (message.role !== gap.respondent || gap.askedAt === null) return false;
  return message.timestamp >= gap.askedAt && (gap.closedAt === null || message.timestamp <= gap.closedAt);
}

function renderMessage(message: AnnotatedMessage): string {
  const attributes = [
    `n="${message.seq}"`,
    `author="${escaped(message.author)}"`,
    `role="${message.role}"`,
    `ts="${message.timestamp.toISOString()}"`,
    ...(message.replyToSeq === null ? [] : [`reply_to="${message.replyToSeq}"`]),
    ...(message.answersGap === null ? [] : [`answers_gap="${message.answersGap}"`]),
    ...(message.isProceed ? [`is_proceed="true"`] : []),
  ];
  return `<msg ${attributes.join(" ")}>\n${escaped(message.content)}\n</msg>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function folded(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, " ").trim();
}
