import type { ConversationMessage } from "../domain/conversation.ts";
import type { Issue } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import type { Db } from "../store/db.ts";
import { listFindings } from "../store/findings.ts";
import { listGaps, nextGapNumber } from "../store/gaps.ts";
import { listMessages } from "../store/messages.ts";
import type { BatchState, JudgedMessage } from "./batch-state.ts";

/** Loads what a batch is judged by (R-ACT-2). `mayProceed` are the logins whose go-ahead counts, in lower case. */
export async function loadBatchState(
  db: Db,
  issue: Issue,
  people: { participants: readonly string[]; mayProceed: ReadonlySet<string>; bot: string },
  clock: Clock,
): Promise<BatchState> {
  const messages = await listMessages(db, issue.id);
  return {
    gaps: await listGaps(db, issue.id),
    nextGapNumber: await nextGapNumber(db, issue.id),
    findings: await listFindings(db, issue.id),
    messages: messages.map((message) => judged(message, people.mayProceed)),
    participants: people.participants,
    bot: people.bot,
    hasSpec: issue.spec !== null,
    now: clock.now(),
  };
}

function judged(message: ConversationMessage, mayProceed: ReadonlySet<string>): JudgedMessage {
  return { ...message, permitted: !message.isBot && mayProceed.has(message.author.toLowerCase()) };
}
