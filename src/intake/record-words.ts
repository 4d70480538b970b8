import type { EventKind, TrackerEvent } from "../domain/event.ts";
import type { Issue } from "../domain/issue.ts";
import { isAmong } from "../domain/login.ts";
import { record } from "../storage/audit.ts";
import type { Context } from "../storage/context.ts";
import type { Db } from "../storage/db.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import type { Decision } from "./decide.ts";

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

/** Puts on record what was made of somebody's words or act, and why (R-OBS-5). Relay's own and unknown ones are none. */
export async function recordWords(
  tx: Db,
  event: TrackerEvent,
  decision: Decision,
  issue: Pick<Issue, "id"> | null,
  { tracker, clock, ids }: Pick<Context, "clock" | "ids"> & { tracker: Pick<Tracker, "bot" | "calledAs"> },
): Promise<void> {
  const { kind, actor, commentId, assignee } = event;
  if (issue === null || actor === "" || !WORDS.has(kind) || isAmong(actor, [tracker.bot, ...tracker.calledAs])) return;
  const isDropped = decision.kind === "drop";
  const after = {
    did: kind,
    ...(commentId === null ? {} : { comment_id: commentId }),
    ...(assignee === null ? {} : { assignee }),
    ...(event.externalIssueId.startsWith("!") ? { request: event.externalIssueId.slice(1) } : {}),
    decision: decision.kind,
  };
  const what = isDropped ? "words.left_aside" : "words.taken_up";
  await record(tx, { issueId: issue.id, actor, what, why: whyOf(decision), after }, { clock, ids });
}

function whyOf(decision: Decision): string {
  switch (decision.kind) {
    case "drop":
      return decision.reason;
    case "engage":
      return "called Relay to the issue";
    case "resume":
      return "called Relay back to the issue";
    case "refresh":
      if (!("wake" in decision) || decision.wake === "no") return "kept for the thread; nothing to do";
      return decision.wake === "now" ? "asks Relay directly" : "considered once people have finished writing";
    case "stop":
      return `stops the work: ${decision.reason}`;
    case "decline":
      return "the issue is closed";
  }
  return decision satisfies never;
}
