import { mayApprove } from "../approval/consent.ts";
import { wishesAmong } from "../approval/wishes.ts";
import type { ConversationMessage } from "../domain/conversation.ts";
import type { Gap } from "../domain/gap.ts";
import { withMarkKept } from "../domain/given-answer.ts";
import { stripHiddenText } from "../domain/text/hidden-text.ts";
import type { CycleContext } from "./planner.ts";
import { type Approver, participantsOf } from "../dossier/participants.ts";
import type { Issue } from "../domain/issue.ts";
import { isAmong } from "../domain/login.ts";
import type { Db } from "../storage/db.ts";
import type { Repository } from "../code/git/repository.ts";
import { explorationsAt } from "../dossier/explorations.ts";
import { listFindings } from "../storage/findings.ts";
import { listGaps, nextGapNumber } from "../storage/gaps.ts";
import { listLearnings } from "../storage/learnings.ts";
import { countMessages, listMessages, listUnreadSeqs, listUnwritten } from "../storage/messages.ts";
import { latestPlan } from "../storage/plans.ts";
import { isTextEdited } from "../storage/specs.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";

/** Messages of a thread that a cycle sees (R-PLAN-2). */
const WINDOW = 100;
/** The window moves in steps, so that prompts of consecutive cycles share their beginning. */
const STEP = 25;
const CLOSED_GAPS = 10;
/** Characters kept of the issue's text and of a message: enough for any report, but not for a pasted log. */
const ISSUE_LIMITS = [30_000, 15_000];
/** Falls to the next smaller limit for all messages while they exceed the total. */
const MESSAGE_LIMITS = [8_000, 4_000, 2_000, 1_000, 500, 250];
/** In bytes of UTF-8: a text never has more tokens than bytes, so a prompt always fits. */
const ISSUE_BYTES = 60_000;
const THREAD_BYTES = 200_000;

/** The stored facts of an issue, before they are shortened. */
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
  // Relay recognizes its own plans by their markers.
  const kept = windowOf(messages, totalMessages).map((message) =>
    message.role === "self" ? message : { ...message, content: withMarkKept(message.content, seen) },
  );
  const body = seen(facts.issue.body);
  const bodyLimit = fitting([body], ISSUE_LIMITS, ISSUE_BYTES);
  const messageLimit = fitting(
    kept.map((message) => message.content),
    MESSAGE_LIMITS,
    THREAD_BYTES,
  );
  return {
    ...facts,
    issue: { ...facts.issue, body: cutMiddle(body, bodyLimit) },
    openGaps: gaps.filter((gap) => gap.status === "open"),
    pendingGaps: gaps.filter((gap) => gap.status === "pending"),
    closedGaps: gaps
      .filter((gap) => gap.status === "closed")
      .toSorted((a, b) => time(a.closedAt) - time(b.closedAt))
      .slice(-CLOSED_GAPS),
    messages: kept.map((message) => ({ ...message, content: cutMiddle(message.content, messageLimit) })),
    omittedMessages: totalMessages - kept.length,
  };
}

/** What people see of a text; found before it is cut, which could leave the end of a comment without its beginning. */
function seen(text: string): string {
  return stripHiddenText(text).text;
}

/** Number of the newest messages to load. */
export const MESSAGES_TO_LOAD = WINDOW + STEP;

function windowOf(messages: ConversationMessage[], total: number): ConversationMessage[] {
  if (total <= WINDOW) return messages;
  const omitted = Math.ceil((total - WINDOW) / STEP) * STEP;
  return messages.slice(-(total - omitted));
}

/** The largest limit that keeps all texts together within the given bytes; otherwise the smallest. */
function fitting(texts: readonly string[], limits: readonly number[], bytes: number): number {
  const fits = (limit: number) =>
    texts.reduce((sum, text) => sum + Buffer.byteLength(cutMiddle(text, limit)), 0) <= bytes;
  return limits.find(fits) ?? Math.min(...limits);
}

function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const cut = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${cut} characters left out …]\n${text.slice(-half)}`.toWellFormed();
}

function time(date: Date | null): number {
  return date?.getTime() ?? 0;
}

/**
 * Loads the facts of an issue from the stores, and current permissions from the tracker. With `until`, loads only the
 * messages before that number.
 */
export async function loadFacts(
  db: Db,
  issue: Issue,
  given: {
    tracker: Tracker;
    code: Repository;
    approval: Approval | null;
    isOver: boolean;
    until: number | null;
  } & Pick<CycleContext, "specStub" | "specUrl" | "failures" | "proceedAsked" | "quickWay">,
): Promise<CycleFacts> {
  const { tracker, approval, until } = given;
  const messages = await listMessages(db, issue.id, MESSAGES_TO_LOAD, until);
  const count = await countMessages(db, issue.id);
  const approves = approval && ((author: Approver) => mayApprove(author, approval));
  const participants = await participantsOf(issue, messages, { tracker, approves });
  return {
    issue,
    participants,
    planned: given.approval !== null && !given.isOver,
    planStands: (await latestPlan(db, issue.id))?.status === "posted",
    wishes: given.approval === null ? [] : await openWishes(db, issue, messages, participants),
    learnings: await listLearnings(db, issue.repositoryId),
    gaps: await listGaps(db, issue.id),
    nextGapNumber: await nextGapNumber(db, issue.id),
    findings: await listFindings(db, issue.id),
    explorations: await explorationsAt(db, issue.id, given.code),
    specStub: given.specStub,
    specUrl: given.specUrl,
    failures: given.failures,
    messages,
    totalMessages: until === null ? count : Math.min(count, until - 1),
    newMessages: (await listUnreadSeqs(db, issue.id)).filter((seq) => until === null || seq < until),
    proceedAsked: given.proceedAsked,
    quickWay: given.quickWay,
    textEdited: given.specStub !== null && (await isTextEdited(db, issue)),
  };
}

/** What decides whose approval of the current plan counts. */
export type Approval = Parameters<typeof mayApprove>[1];

/** Wishes of people who decide that no version of the spec has considered. */
async function openWishes(
  db: Db,
  issue: Issue,
  messages: readonly ConversationMessage[],
  participants: CycleContext["participants"],
): Promise<number[]> {
  const unwritten = new Set(await listUnwritten(db, issue.id));
  const deciders = participants.filter(({ mayProceed }) => mayProceed).map(({ login }) => login);
  return wishesAmong(
    messages
      .filter(({ seq, isBot }) => unwritten.has(seq) && !isBot)
      .map(({ seq, content, author }) => ({ seq, content, decides: isAmong(author, deciders) })),
  );
}
