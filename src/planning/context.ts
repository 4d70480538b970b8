import type { ConversationMessage } from "../domain/conversation.ts";
import type { Gap } from "../domain/gap.ts";
import type { CycleContext } from "./planner.ts";

/** How much of a thread a cycle sees (R-PLAN-2). */
const WINDOW = 100;
/** The window moves in steps, so that the messages before the newest ones stay the same from cycle to cycle. */
const STEP = 25;
const CLOSED_GAPS = 10;
/** Characters kept of one message, and of the issue's text: enough for any report, not for a pasted log. */
const MESSAGE_LIMIT = 8_000;
const ISSUE_LIMIT = 30_000;

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
  return {
    ...facts,
    issue: { ...facts.issue, body: shorten(facts.issue.body, ISSUE_LIMIT) },
    openGaps: gaps.filter((gap) => gap.status === "open"),
    pendingGaps: gaps.filter((gap) => gap.status === "pending"),
    closedGaps: gaps
      .filter((gap) => gap.status === "closed")
      .toSorted((a, b) => time(a.closedAt) - time(b.closedAt))
      .slice(-CLOSED_GAPS),
    messages: kept.map((message) => ({ ...message, content: shorten(message.content, MESSAGE_LIMIT) })),
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

function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const cut = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${cut} characters left out …]\n${text.slice(-half)}`;
}

function time(date: Date | null): number {
  return date?.getTime() ?? 0;
}
