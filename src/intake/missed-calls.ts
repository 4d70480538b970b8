import { unlessMissing } from "../adapters/trackers/missing.ts";
import type { IssueGlance, Tracker, TrackerComment, TrackerIssue } from "../adapters/trackers/tracker.ts";
import { type TrackerEvent, buildEvent } from "../domain/event.ts";
import { addressOf, issueName } from "../domain/issue.ts";
import type { Log } from "../lib/log.ts";
import { callsFor } from "./decide.ts";

/** Longer threads are searched only if the tracker can list what is new in them. */
const MOST_COMMENTS = 300;

/** The comments of an issue that are new since then, oldest first; none where its thread is too long to be searched. */
export async function newComments(
  glance: IssueGlance,
  { tracker, since, log }: { tracker: Tracker; since: Date; log: Log },
): Promise<TrackerComment[]> {
  const changed = await unlessMissing(tracker.listChangedComments(glance, since, []));
  if (changed) return changed;
  if (glance.commentCount > MOST_COMMENTS) {
    log.warn({ issue: issueName(glance), comments: glance.commentCount }, "not searched for calls: too long a thread");
    return [];
  }
  const comments: TrackerComment[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Tracker["listComments"]>> | null = await unlessMissing(
      tracker.listComments(glance, cursor),
    );
    comments.push(...(page?.comments ?? []));
    cursor = page?.next ?? null;
  } while (cursor !== null);
  return comments;
}

/** The missed event of an issue opened since then that calls Relay. */
export function missedOpening(issue: TrackerIssue, since: Date, names: readonly string[]): TrackerEvent | null {
  const { author: actor, body: text, createdAt } = issue;
  const event = buildEvent({ ...addressOf(issue), kind: "opened", at: createdAt, actor, text });
  return createdAt >= since && callsFor(event, names) ? event : null;
}

/** The missed events of comments since then that call Relay; permissions are not checked here. */
export function missedCalls(
  glance: IssueGlance,
  comments: readonly TrackerComment[],
  since: Date,
  names: readonly string[],
): TrackerEvent[] {
  return comments
    .filter(({ createdAt }) => createdAt >= since)
    .map((comment) =>
      buildEvent({
        ...addressOf(glance),
        kind: "commented",
        at: comment.createdAt,
        actor: comment.author,
        actorIsBot: comment.isBot,
        commentId: comment.id,
        threadId: comment.threadId,
        text: comment.body,
      }),
    )
    .filter((event) => !event.actorIsBot && callsFor(event, names));
}
