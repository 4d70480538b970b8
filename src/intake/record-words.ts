import type { EventKind, TrackerEvent } from "../domain/event.ts";
import type { Issue } from "../domain/issue.ts";
import { isAmong } from "../domain/login.ts";
import { record } from "../storage/audit.ts";
import type { Context } from "../storage/context.ts";
import type { Db } from "../storage/db.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import { readReply, refusalIn } from "../approval/read-reply.ts";
import { type Decision, callsFor } from "./decide.ts";

/** What people do that Relay heeds or not; labels and checks are no words. */
const WORDS: ReadonlySet<EventKind> = new Set([
  "opened",
  "edited",
  "assigned",
  "unassigned",
  "closed",
  "reopened",
  "commented",
  "comment_edited",
  "comment_deleted",
  "review_submitted",
  "review_commented",
]);

/**
 * Puts on record what was made of somebody's words or act, and why (R-OBS-5). Relay's own and unknown ones are none.
 * `checksNow`: words that approve or halt are looked for at once in the issue's state.
 */
export async function recordWords(
  tx: Db,
  event: TrackerEvent,
  decision: Decision,
  issue: Pick<Issue, "id"> | null,
  { tracker, clock, ids, checksNow }: Recording,
): Promise<void> {
  const { kind, actor, commentId, assignee } = event;
  const names = [tracker.bot, ...tracker.calledAs];
  if (issue === null || actor === "" || !WORDS.has(kind) || isAmong(actor, names)) return;
  const isDropped = decision.kind === "drop";
  const after = {
    did: kind,
    ...(commentId === null ? {} : { comment_id: commentId }),
    ...(assignee === null ? {} : { assignee }),
    ...(event.externalIssueId.startsWith("!") ? { request: event.externalIssueId.slice(1) } : {}),
    decision: decision.kind,
  };
  const what = isDropped ? "words.left_aside" : "words.taken_up";
  await record(
    tx,
    {
      issueId: issue.id,
      actor,
      what,
      why: whyOf(decision, { isCall: callsFor(event, names), isAtOnce: checksNow && mayDecide(event) }),
      after,
    },
    { clock, ids },
  );
}

interface Recording extends Pick<Context, "clock" | "ids"> {
  tracker: Pick<Tracker, "bot" | "calledAs">;
  checksNow: boolean;
}

/** Whether words may approve or halt. */
function mayDecide({ text }: TrackerEvent): boolean {
  return text !== null && (readReply(text).kind === "approve" || refusalIn(text) !== null);
}

function whyOf(decision: Decision, { isCall, isAtOnce }: { isCall: boolean; isAtOnce: boolean }): string {
  switch (decision.kind) {
    case "drop":
      return decision.reason;
    case "engage":
      return "called Relay to the issue";
    case "resume":
      return "called Relay back to the issue";
    case "refresh":
      if (!("wake" in decision) || decision.wake === "no") return "kept for the thread; nothing to do";
      if (isCall) return "asks Relay directly";
      return decision.wake === "now" || isAtOnce
        ? "heard at once, since it may decide"
        : "considered once people have finished writing";
    case "restart":
      return decision.reason === "closed"
        ? "closed and reopened before Relay looked"
        : "unassigned and assigned again before Relay looked";
    case "stop":
      return `stops the work: ${decision.reason}`;
    case "decline":
      return "the issue is closed";
  }
  return decision satisfies never;
}
