import { cut, oneLine } from "../../lib/text.ts";
import type { ActionProblem } from "../../domain/action.ts";
import type { ConversationMessage } from "../../domain/conversation.ts";
import type { Finding } from "../../domain/finding.ts";
import type { Gap } from "../../domain/gap.ts";
import type { Issue } from "../../domain/issue.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Db } from "../../storage/db.ts";
import { listFindings } from "../../storage/findings.ts";
import { listGaps, nextGapNumber } from "../../storage/gaps.ts";
import { listMessages } from "../../storage/messages.ts";

/** A message of the thread, and whether its author may give the go-ahead, by their permission now. */
export type JudgedMessage = Pick<
  ConversationMessage,
  "seq" | "author" | "role" | "isBot" | "timestamp" | "editedAt" | "content" | "externalId" | "externalThreadId"
> & {
  permitted: boolean;
  /** No earlier cycle has seen it, or it was edited since. */
  isNew: boolean;
};

/** Everything a batch is validated against (R-ACT-2). */
export interface BatchState {
  /** The issue's number or id at its tracker. */
  issue: string;
  /** All gaps of the issue, including closed ones. */
  gaps: readonly Gap[];
  /** Number of the next new gap: a batch may refer to gaps that it adds. */
  nextGapNumber: number;
  /** Every finding of the issue, oldest first. */
  findings: readonly Pick<Finding, "id">[];
  /** The full thread. */
  messages: readonly JudgedMessage[];
  /** Logins that a comment may mention; see `safeComment`. */
  participants: readonly string[];
  bot: string;
  hasSpec: boolean;
  /** Whether Relay's last message asked for the go-ahead (R-PLAN-7). */
  proceedAsked: boolean;
  /** Seqs of the wishes that change the current plan, each a go-ahead for revising the spec (R-CONF-9). */
  wishes: readonly number[];
  /** Fast track: a small issue whose spec and plan are approved together, so the spec needs no go-ahead. */
  quickWay: boolean;
  /** The issue's text was edited after its plan was made, which calls for revising spec and plan. */
  textEdited: boolean;
  now: Date;
}

/** A problem of one action: the rule, and how to fix it. */
export type Complaint = Omit<ActionProblem, "index">;

/** Written by a person, not by Relay or another bot. */
export function isFromPerson(message: JudgedMessage): boolean {
  return !message.isBot && message.role !== "self";
}

/** Whether a person who has a say wrote it: the reporter, an assignee, or somebody who may give the go-ahead. */
export function hasSay(message: JudgedMessage): boolean {
  return isFromPerson(message) && (message.permitted || message.role === "reporter" || message.role === "assignee");
}

/** New messages by people who may decide on the issue. */
export function newWords({ messages }: Pick<BatchState, "messages">): JudgedMessage[] {
  return messages.filter((message) => message.isNew && message.permitted && isFromPerson(message));
}

/**
 * Loads what a batch is judged by (R-ACT-2). `mayProceed` are the logins whose go-ahead counts, in lower case;
 * `newMessages` the seqs that the cycle is the first to see.
 */
export async function loadBatchState(
  db: Db,
  issue: Issue,
  given: {
    participants: readonly string[];
    mayProceed: ReadonlySet<string>;
    wishes: readonly number[];
    bot: string;
    newMessages: readonly number[];
    proceedAsked: boolean;
    quickWay: boolean;
    textEdited: boolean;
    /** Only messages before this number are loaded; all of them if null. */
    until: number | null;
  },
  clock: Clock,
): Promise<BatchState> {
  const messages = await listMessages(db, issue.id, undefined, given.until);
  const isNew = new Set(given.newMessages);
  return {
    issue: issue.externalIssueId,
    gaps: await listGaps(db, issue.id),
    nextGapNumber: await nextGapNumber(db, issue.id),
    findings: await listFindings(db, issue.id),
    messages: messages.map((message) => ({
      ...message,
      permitted: !message.isBot && given.mayProceed.has(message.author.toLowerCase()),
      isNew: isNew.has(message.seq),
    })),
    participants: given.participants,
    bot: given.bot,
    hasSpec: issue.spec !== null,
    proceedAsked: given.proceedAsked,
    wishes: given.wishes,
    quickWay: given.quickWay,
    textEdited: given.textEdited,
    now: clock.now(),
  };
}

/** Quotes a planner's text within one short line. */
export function quoted(text: string): string {
  return `"${cut(oneLine(text), 60)}"`;
}
