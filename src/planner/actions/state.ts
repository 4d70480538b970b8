import type { Issue } from "../../domain/issue.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Db } from "../../storage/db.ts";
import { listFindings } from "../../storage/findings.ts";
import { listGaps, nextGapNumber } from "../../storage/gaps.ts";
import { listMessages } from "../../storage/messages.ts";
import type { BatchState } from "./batch-state.ts";

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
    bot: string;
    newMessages: readonly number[];
    proceedAsked: boolean;
    quickWay: boolean;
  },
  clock: Clock,
): Promise<BatchState> {
  const messages = await listMessages(db, issue.id);
  const isNew = new Set(given.newMessages);
  return {
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
    quickWay: given.quickWay,
    now: clock.now(),
  };
}
