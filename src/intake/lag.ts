import { type TrackerEvent, isFound, isSpeech } from "../domain/event.ts";
import { isAmong } from "../domain/login.ts";
import type { ThreadMessage } from "../domain/conversation.ts";
import { Postponed } from "../lib/errors.ts";
import type { TrackerIssue } from "../adapters/trackers/tracker.ts";

/** Milliseconds until the next look: 0.5 s, 1 s, 2 s, 4 s, … 30 s. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;

/**
 * How often Relay looks for a delivered change that the tracker does not show (R-IN-11). The looks are counted rather than
 * timed, since clocks may be wrong.
 */
export const LOOKS = {
  /** About 15 s, where an answer of the same second as the event may be newer or older. */
  unsure: 5,
  /** About 30 s, until a list that differs from the count, or from the delivered text, is trusted. */
  counted: 6,
  /** About 1 min: no list lags longer, so the comment itself is asked for. */
  listed: 7,
  /** About 5 min. */
  all: 15,
};

/** Milliseconds after which the tracker shows everything about an event, by the tracker's clock or by Relay's. */
export const MAY_LAG = 5 * 60_000;

/** The tracker does not show a delivered change yet: its lists lag behind its webhooks (R-IN-11). */
export class NotShownYet extends Postponed {
  constructor(what: string, looks: number) {
    super(`${what}; the tracker is asked again`, {
      retryAfterMs: Math.min(FIRST_WAIT * 2 ** looks, LONGEST_WAIT),
    });
  }
}

/** Whether a thread shows the comment of an event, in its version or a newer one. */
export function showsComment(
  { kind, commentId, text, at }: TrackerEvent,
  messages: readonly Pick<ThreadMessage, "externalId" | "content" | "timestamp" | "editedAt">[],
  stored: readonly ThreadMessage[],
): "yes" | "perhaps" | "no" {
  if (commentId === null || !isSpeech({ kind })) return "yes";
  const shown = messages.find(({ externalId }) => externalId === commentId);
  if (kind === "comment_deleted") return shown ? "no" : "yes";
  if (!shown) return "no";
  if (kind === "commented" || shown.content === text) return "yes";
  const newer = compareSeconds(shown.editedAt ?? shown.timestamp, at);
  if (newer !== 0) return newer > 0 ? "yes" : "no";
  const before = stored.find(({ externalId }) => externalId === commentId);
  return before !== undefined && before.content !== shown.content ? "yes" : "perhaps";
}

/** Whether a fetched issue may be older than the event, which tells otherwise: `perhaps` in the same second. */
export function isBehind(event: TrackerEvent, issue: TrackerIssue, names: readonly string[]): "yes" | "perhaps" | "no" {
  if (!contradicts(event, issue, names)) return "no";
  const newer = compareSeconds(issue.updatedAt, event.at);
  if (newer !== 0) return newer > 0 ? "no" : "yes";
  // The text of an issue comes with each fetch anyway.
  return event.kind === "edited" ? "no" : "perhaps";
}

function contradicts(event: TrackerEvent, { state, assignees, body }: TrackerIssue, names: readonly string[]): boolean {
  const assigned = assignees.some((login) => isAmong(login, names));
  const concerned = event.assignee !== null && isAmong(event.assignee, names);
  switch (event.kind) {
    case "closed":
      return state === "open";
    case "reopened":
      return state === "closed";
    case "assigned":
      return concerned && !assigned;
    case "unassigned":
      return concerned && assigned;
    case "edited":
      return isFound(event) || body !== event.text;
    default:
      return false;
  }
}

/** Positive if the first is later; payloads often tell whole seconds only. */
function compareSeconds(one: Date, other: Date): number {
  return Math.floor(one.getTime() / 1_000) - Math.floor(other.getTime() / 1_000);
}
