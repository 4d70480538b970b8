import type { EventKind, TrackerEvent } from "../domain/event.ts";
import type { LastSeen } from "../storage/threads.ts";
import type { IssueGlance, TrackerComment, TrackerIssue } from "../adapters/trackers/tracker.ts";
import { callsFor } from "./decide.ts";

/** What a delivery would have told, had it come; null where nothing differs, or nothing of Relay's business. */
export function differenceOf(
  glance: IssueGlance,
  known: LastSeen | null,
  names: readonly string[],
): TrackerEvent | null {
  const relay = glance.assignees.find((login) => isOneOf(login, names)) ?? null;
  const kind = kindOf(glance, known, relay !== null, names);
  if (kind === null) return null;
  const assignee = kind === "assigned" || kind === "unassigned" ? (relay ?? names[0] ?? null) : null;
  return { ...told(glance, glance.updatedAt), kind, assignee };
}

function kindOf(
  glance: IssueGlance,
  known: LastSeen | null,
  assigned: boolean,
  names: readonly string[],
): EventKind | null {
  const open = glance.state === "open";
  if (known === null) return open && assigned ? "assigned" : null;
  const wasAssigned = known.assignees.some((login) => isOneOf(login, names));
  if (known.state !== "closed") {
    if (!open) return "closed";
    if (wasAssigned && !assigned) return "unassigned";
    const same =
      known.tracker?.commentCount === glance.commentCount &&
      known.tracker.updatedAt.getTime() === glance.updatedAt.getTime();
    return same ? null : "edited";
  }
  if (!open) return null;
  // It stopped because the issue was closed, or else because Relay was unassigned.
  if (known.tracker?.state === "closed") return wasAssigned && !assigned ? null : "reopened";
  return assigned ? "assigned" : null;
}

/** The issue itself, where it was opened since then and calls Relay; as the event that did not come. */
export function missedOpening(issue: TrackerIssue, since: Date, names: readonly string[]): TrackerEvent | null {
  const { author: actor, body: text, createdAt } = issue;
  const event: TrackerEvent = { ...told(issue, createdAt), kind: "opened", actor, text };
  return createdAt >= since && callsFor(event, names) ? event : null;
}

/** The comments since then by which somebody called Relay, as the events that did not come; whether they may is not looked at here. */
export function missedCalls(
  glance: IssueGlance,
  comments: readonly TrackerComment[],
  since: Date,
  names: readonly string[],
): TrackerEvent[] {
  return comments
    .filter(({ createdAt }) => createdAt >= since)
    .map((comment) => ({
      ...told(glance, comment.createdAt),
      kind: "commented" as const,
      actor: comment.author,
      actorIsBot: comment.isBot,
      commentId: comment.id,
      threadId: comment.threadId,
      text: comment.body,
    }))
    .filter((event) => !event.actorIsBot && callsFor(event, names));
}

/** An event of which nobody says whose doing it was. */
function told({ provider, externalProjectId, externalIssueId }: IssueGlance, at: Date): Omit<TrackerEvent, "kind"> {
  return {
    provider,
    externalProjectId,
    externalIssueId,
    actor: "",
    actorIsBot: false,
    at,
    assignee: null,
    commentId: null,
    threadId: null,
    text: null,
    branch: null,
    outcome: null,
  };
}

function isOneOf(login: string, names: readonly string[]): boolean {
  return names.some((name) => name.toLowerCase() === login.toLowerCase());
}
