import type { ConversationMessage } from "../domain/conversation.ts";
import type { SpecInput } from "./generator.ts";
import type { Gap } from "../domain/gap.ts";

/** Characters of a rendered discussion for a generator; longer ones lose their middle. */
const BUDGET = 400_000;
/** Messages at the beginning that take precedence over later unmarked ones. */
const FIRST = 10;
/** Room for an `<omitted/>` and the enclosing tags. */
const MARK_ROOM = 48;
/** The share of the budget for the first and the annotated messages. */
const MARKED_SHARE = 0.6;
const SHORTEST_CUT = 300;

/** A message as a generator reads it: who decides, which gaps it answers, and whether it gives the go-ahead (R-SPEC-2). */
export interface AnnotatedMessage extends ConversationMessage {
  /** Numbers of the gaps; several if one comment answers a batch of questions. */
  answersGaps: number[];
  isProceed: boolean;
  /** Its author decides here, by their permission now. */
  decides: boolean;
}

export function annotate(
  messages: ConversationMessage[],
  gaps: Gap[],
  { deciders, goAheads }: Pick<SpecInput, "deciders" | "goAheads">,
): AnnotatedMessage[] {
  return messages.map((message) => ({
    ...message,
    answersGaps: gaps.filter((gap) => answers(message, gap, deciders)).map((gap) => gap.number),
    isProceed: goAheads.has(message.seq),
    decides: deciders.has(message.seq),
  }));
}

/**
 * The full discussion as XML (R-SPEC-2), at most `budget` characters long. If it is longer, the messages that answer a
 * gap or give the go-ahead, the first ones and the latest are kept; `<omitted/>` replaces the others, and a message too
 * long for its share says in its middle how much is omitted.
 */
export function renderDiscussion(messages: AnnotatedMessage[], budget: number = BUDGET): string {
  const whole = enclosed(messages.map((message) => render(message, Number.POSITIVE_INFINITY)));
  if (whole.length <= budget) return whole;
  const kept = choose(messages, budget);
  const parts: string[] = [];
  let omitted = 0;
  for (const message of [...messages, null]) {
    const xml = message === null ? null : kept.get(message);
    if (xml === undefined) omitted += 1;
    else {
      if (omitted > 0) parts.push(`<omitted messages="${omitted}"/>`);
      omitted = 0;
      if (xml !== null) parts.push(xml);
    }
  }
  return enclosed(parts);
}

/**
 * Renders the messages to keep: marked ones, then the beginning, then the latest ones backwards until the budget is
 * used.
 */
function choose(messages: AnnotatedMessage[], budget: number): Map<AnnotatedMessage, string> {
  const isMarked = (message: AnnotatedMessage) => message.isProceed || message.answersGaps.length > 0;
  const first = [...messages.filter(isMarked).toReversed(), ...messages.slice(0, FIRST)];
  const share = Math.max(SHORTEST_CUT, Math.floor((budget * MARKED_SHARE) / first.length));
  const kept = new Map<AnnotatedMessage, string>();
  let left = budget - MARK_ROOM * 2;
  const take = (message: AnnotatedMessage): boolean => {
    if (kept.has(message)) return true;
    const xml = render(message, share);
    if (xml.length + MARK_ROOM > left) return false;
    kept.set(message, xml);
    left -= xml.length + MARK_ROOM;
    return true;
  };
  for (const message of first) take(message);
  for (const message of messages.toReversed()) if (!take(message)) break;
  return kept;
}

/** The stored answer (R-PLAN-13); where none is known, whatever its respondent wrote while it was open (R-SPEC-2). */
function answers(message: ConversationMessage, gap: Gap, deciders: SpecInput["deciders"]): boolean {
  if (gap.answeredIn !== null) return message.externalId === gap.answeredIn;
  const isMaintainer = message.role === "other" && deciders.has(message.seq);
  const isRespondent = gap.respondent === "maintainer" ? isMaintainer : message.role === gap.respondent;
  if (gap.askedAt === null || !isRespondent) return false;
  return message.timestamp >= gap.askedAt && (gap.closedAt === null || message.timestamp <= gap.closedAt);
}

function render(message: AnnotatedMessage, most: number): string {
  const attributes = [
    `n="${message.seq}"`,
    `author="${escaped(message.author)}"`,
    `role="${message.role}"`,
    ...(message.decides ? [`decides="true"`] : []),
    `ts="${message.timestamp.toISOString()}"`,
    ...(message.replyToSeq === null ? [] : [`reply_to="${message.replyToSeq}"`]),
    ...(message.answersGaps.length === 0 ? [] : [`answers_gap="${message.answersGaps.join(" ")}"`]),
    ...(message.isProceed ? [`is_proceed="true"`] : []),
  ];
  return `<msg ${attributes.join(" ")}>\n${cutInTheMiddle(message.content, most)}\n</msg>`;
}

/** Escaped text of at most `most` characters, with a mark that says how many are omitted. */
function cutInTheMiddle(content: string, most: number): string {
  const whole = escaped(content);
  if (whole.length <= most) return whole;
  const side = Math.floor((most - MARK_ROOM) / 2);
  // Neither side may end in half an entity or half a character.
  const begin = whole.slice(0, side).replace(/&[a-z]{0,4}$/, "");
  const end = whole.slice(-side).replace(/^[a-z]{0,4};/, "");
  const missing = whole.length - begin.length - end.length;
  return `${begin.toWellFormed()}\n[… ${missing} characters left out …]\n${end.toWellFormed()}`;
}

/** Replaces control characters that XML cannot represent by U+FFFD. */
function escaped(text: string): string {
  return (
    text
      .toWellFormed()
      // oxlint-disable-next-line no-control-regex -- matching them is the point
      .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "\uFFFD")
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
  );
}

function enclosed(parts: string[]): string {
  return `<conversation>\n${parts.join("\n")}\n</conversation>`;
}
