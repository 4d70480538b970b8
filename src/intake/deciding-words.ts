import { type Tracker, atLeast } from "../adapters/trackers/tracker.ts";
import { proceedSignal } from "../approval/go-ahead.ts";
import { readReply, refusalIn } from "../approval/read-reply.ts";
import { type TrackerEvent, isFound } from "../domain/event.ts";
import type { Issue } from "../domain/issue.ts";
import type { IssueState } from "../domain/lifecycle.ts";
import { isAmong } from "../domain/login.ts";
import { carriesMarker } from "../domain/marker.ts";

/**
 * Whether these words decide what an issue in this state waits for, so that nothing is gained by waiting for more
 * (R-LIFE-10). Where a plan waits for a yes or is carried out, people's words are looked at without a wait anyway.
 */
export function areDeciding(text: string, state: IssueState): boolean {
  switch (state) {
    case "awaiting_proceed":
      return proceedSignal(text, { asked: true }).proceed || refusalIn(text) === "clear";
    case "pending_plan":
    case "planning":
    case "clarifying":
    case "specifying":
      // A mere “no” answers a question here.
      return proceedSignal(text, { asked: false }).proceed || readReply(text).kind === "stop";
    case "stuck":
    case "in_review":
      return refusalIn(text) === "clear";
    case "waiting_confirmation":
    case "queued":
    case "in_progress":
    case "done":
    case "failed":
    case "paused":
    case "closed":
      return false;
    default:
      return state satisfies never;
  }
}

/** Whether the author's go-ahead or stop counts: the reporter, assignees, and people with write access. */
export async function mayDecide(
  { actor, externalProjectId }: TrackerEvent,
  { reporter, assignees }: Pick<Issue, "reporter" | "assignees">,
  tracker: Pick<Tracker, "permissionOf">,
  besides: readonly string[] = [],
): Promise<boolean> {
  if (isAmong(actor, [reporter, ...assignees, ...besides])) return true;
  return atLeast(await tracker.permissionOf(externalProjectId, actor), "write");
}

type Halting = Pick<TrackerEvent, "kind" | "text" | "actor" | "actorIsBot">;

/**
 * Whether an event may end or stop Relay's work, or void an approval, so that it goes before other work, and Relay posts
 * nothing before it is processed (R-LIFE-10). What a comment said before its edit is not known here: it may have been a
 * yes. Pure.
 */
export function mayHalt(event: Halting): boolean {
  const known = haltsUnread(event);
  if (known !== null || event.text === null) return known ?? false;
  switch (event.kind) {
    case "comment_edited":
      return readReply(event.text).kind !== "approve";
    case "comment_deleted":
      return readReply(event.text).kind === "approve";
    default:
      return refusalIn(event.text) !== null;
  }
}

/** The same without reading the words, which takes longer than to store them; null if they decide. */
export function haltsUnread(event: Halting): boolean | null {
  const { kind, text, actorIsBot } = event;
  // A difference found without a delivery may be anything.
  if (kind === "closed" || kind === "unassigned" || isFound(event)) return true;
  if (actorIsBot) return false;
  if (kind === "edited") return true;
  if (text === null || carriesMarker(text)) return false;
  return kind === "commented" || kind === "comment_edited" || kind === "comment_deleted" ? null : false;
}
