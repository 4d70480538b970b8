import type { ConversationMessage } from "../domain/conversation.ts";
import type { Gap } from "../domain/gap.ts";
import type { CycleContext } from "./planner.ts";

/** How much of a thread a cycle sees (R-PLAN-2). */
const WINDOW = 100;
/** The window moves in steps, so that the messages before the newest ones stay the same from cycle to cycle. */
const STEP = 25;
const CLOSED_GAPS = 10;
/** Characters kept of the issue's text, and of one message: enough for any report, not for a pasted log. */
const ISSUE_LIMITS = [30_000, 15_000];
/** The next smaller one holds for all messages as soon as they are too much together. */
const MESSAGE_LIMITS = [8_000, 4_000, 2_000, 1_000, 500, 250];
/** In bytes of UTF-8, since no text has more tokens than bytes, whatever its script: a prompt always fits. */
const ISSUE_BYTES = 60_000;
const THREAD_BYTES = 200_000;

/** What the stores hold of an issue, before it is cut to size. */
export type CycleFacts = Omit<
  CycleContext,
  "openGaps" | "pendingGaps" | "closedGaps" | "messages" | "omittedMessages"
> & {
  gaps: Gap[];
  /** At least the newest 125 messages, oldest first. */
  messages: ConversationMessage[];
  totalMessages: number;
};

/** The bounded context of a cycle (R-PLAN-2): its size does not grow with the thread. */
export function buildContext({ gaps, messages, totalMessages, ...facts }: CycleFacts): CycleContext {
  const kept = windowOf(messages, totalMessages);
  const bodyLimit = fitting([facts.issue.body], ISSUE_LIMITS, ISSUE_BYTES);
  const messageLimit = fitting(
    kept.map((message) => message.content),
    MESSAGE_LIMITS,
    THREAD_BYTES,
  );
  return {
    ...facts,
    issue: { ...facts.issue, body: shorten(facts.issue.body, bodyLimit) },
    openGaps: gaps.filter((gap) => gap.status === "open"),
    pendingGaps: gaps.filter((gap) => gap.status === "pending"),
    closedGaps: gaps
      .filter((gap) => gap.status === "closed")
      .toSorted((a, b) => time(a.closedAt) - time(b.closedAt))
      .slice(-CLOSED_GAPS),
    messages: kept.map((message) => ({ ...message, content: shorten(message.content, messageLimit) })),
    omittedMessages: totalMessages - kept.length,
  };
}

/** How many of the newest messages the caller must load. */
export const MESSAGES_TO_LOAD = WINDOW + STEP;

function windowOf(messages: ConversationMessage[], total: number): ConversationMessage[] {
  if (total <= WINDOW) return messages;
  const omitted = Math.ceil((total - WINDOW) / STEP) * STEP;
  return messages.slice(-(total - omitted));
}

/** The largest of the limits under which all texts together stay within so many bytes; else the smallest. */
function fitting(texts: readonly string[], limits: readonly number[], bytes: number): number {
  const fits = (limit: number) =>
    texts.reduce((sum, text) => sum + Buffer.byteLength(shorten(text, limit)), 0) <= bytes;
  return limits.find(fits) ?? Math.min(...limits);
}

function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const cut = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${cut} characters left out …]\n${text.slice(-half)}`.toWellFormed();
}

function time(date: Date | null): number {
  return date?.getTime() ?? 0;
}
