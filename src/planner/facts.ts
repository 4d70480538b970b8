import type { ConversationMessage } from "../domain/conversation.ts";
import type { Issue } from "../domain/issue.ts";
import type { Db } from "../storage/db.ts";
import { listFindings } from "../storage/findings.ts";
import { listGaps, nextGapNumber } from "../storage/gaps.ts";
import { listLearnings } from "../storage/learnings.ts";
import { countMessages, listMessages, listUnseen } from "../storage/messages.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import { atLeast } from "../adapters/trackers/tracker.ts";
import type { CycleFacts } from "./context.ts";
import { MESSAGES_TO_LOAD } from "./context.ts";
import type { CycleContext } from "./planner.ts";

/** Loads what a cycle may know of an issue from the stores; permissions are asked of the tracker, now. */
export async function loadFacts(
  db: Db,
  issue: Issue,
  given: { workspaceId: string; tracker: Tracker } & Pick<
    CycleContext,
    "specStub" | "failures" | "proceedAsked" | "quickWay"
  >,
): Promise<CycleFacts> {
  const messages = await listMessages(db, issue.id, MESSAGES_TO_LOAD);
  return {
    issue,
    participants: await participantsOf(issue, messages, given.tracker),
    learnings: await listLearnings(db, given.workspaceId),
    gaps: await listGaps(db, issue.id),
    nextGapNumber: await nextGapNumber(db, issue.id),
    findings: await listFindings(db, issue.id),
    specStub: given.specStub,
    failures: given.failures,
    messages,
    totalMessages: await countMessages(db, issue.id),
    newMessages: await listUnseen(db, issue.id),
    proceedAsked: given.proceedAsked,
    quickWay: given.quickWay,
  };
}

/**
 * Everybody who has a part in the issue. Its reporter, its assignees and people with write access may give the
 * go-ahead for the spec; bots never.
 */
async function participantsOf(
  issue: Issue,
  messages: ConversationMessage[],
  tracker: Tracker,
): Promise<CycleContext["participants"]> {
  const people = new Map<string, CycleContext["participants"][number]>();
  /** Logins that the tracker must be asked about; all at once, since a thread can have a hundred of them. */
  const toAsk = new Set<string>();
  people.set(issue.reporter.toLowerCase(), { login: issue.reporter, role: "reporter", mayProceed: true });
  for (const login of issue.assignees) {
    if (login.toLowerCase() === tracker.bot.toLowerCase() || people.has(login.toLowerCase())) continue;
    people.set(login.toLowerCase(), { login, role: "assignee", mayProceed: true });
  }
  for (const message of messages) {
    const key = message.author.toLowerCase();
    if (people.has(key)) continue;
    people.set(key, { login: message.author, role: message.role, mayProceed: false });
    if (message.role === "other" && !message.isBot) toAsk.add(message.author);
  }
  return await Promise.all(
    [...people.values()].map(async ({ login, role, mayProceed }) => ({
      login,
      role,
      mayProceed: toAsk.has(login)
        ? atLeast(await tracker.permissionOf(issue.externalProjectId, login), "write")
        : mayProceed,
    })),
  );
}
