import type { TrackerEvent } from "../domain/event.ts";
import type { Issue } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { messageOf } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import type { Db } from "../store/db.ts";
import { findIssue, moveIssue, saveIssue } from "../store/issues.ts";
import { countMessages, saveThread } from "../store/messages.ts";
import type { StoredRepository } from "../store/rows.ts";
import type { Tracker } from "../trackers/tracker.ts";
import { atLeast } from "../trackers/tracker.ts";
import type { Decision } from "./decide.ts";
import { callsFor, decide } from "./decide.ts";
import { fetchDiscussion } from "./discussion.ts";

export interface IntakeDeps {
  db: Db;
  tracker: Tracker;
  repository: StoredRepository;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** Code of the language that a text is written in. */
  detectLanguage: (text: string) => string;
}

export interface Processed {
  decision: Decision;
  /** The issue as stored now; null when it is not Relay's business. */
  issue: Issue | null;
}

/** The emoji that says at once that Relay saw a request (R-LIFE-4). */
const ACKNOWLEDGEMENT = "eyes";

/**
 * Works out what an event means and stores it: the issue, its whole thread, its state. May be run again after a
 * crash at any point: every step leaves the same result. Throws the tracker's error when the thread cannot be
 * fetched; the stored one is then untouched (R-IN-6).
 */
export async function processEvent(event: TrackerEvent, deps: IntakeDeps): Promise<Processed> {
  const tracked = await findIssue(deps.db, event);
  const decision = decide(event, {
    bot: deps.tracker.bot,
    state: tracked?.state ?? null,
    actorPermitted: callsFor(event, deps.tracker.bot) && (await mayCall(event, deps)),
  });
  switch (decision.kind) {
    case "drop":
      return { decision, issue: tracked };
    case "stop":
      return { decision, issue: tracked && (await stop(tracked, decision.reason, event, deps)) };
    case "engage":
    case "refresh":
    case "resume": {
      if (decision.kind !== "refresh" || decision.wake === "now") {
        await acknowledge(event, deps);
      }
      let issue = await refresh(event, tracked, deps);
      if (decision.kind === "resume") {
        issue = await moveIssue(
          deps.db,
          issue.id,
          issue.resumesAs ?? "pending_plan",
          { why: event.kind, actor: event.actor },
          deps,
        );
      }
      return { decision, issue };
    }
    default:
      return decision satisfies never;
  }
}

/** A mention calls Relay when its author reported the issue, is assigned to it, or may triage in the project. */
async function mayCall(event: TrackerEvent, { tracker }: IntakeDeps): Promise<boolean> {
  if (atLeast(await tracker.permissionOf(event.externalProjectId, event.actor), "triage")) return true;
  const issue = await tracker.getIssue(event);
  return [issue.author, ...issue.assignees].some((login) => login.toLowerCase() === event.actor.toLowerCase());
}

/** A courtesy: a comment that is gone, or a tracker that refuses reactions, must not keep the event from its effect. */
async function acknowledge(event: TrackerEvent, { tracker, log }: IntakeDeps): Promise<void> {
  try {
    await tracker.addReaction(event, event.commentId, ACKNOWLEDGEMENT);
  } catch (error) {
    log.warn(
      { project_id: event.externalProjectId, issue_iid: event.externalIssueId, error: messageOf(error) },
      "no reaction",
    );
  }
}

async function stop(issue: Issue, reason: string, event: TrackerEvent, deps: IntakeDeps): Promise<Issue> {
  return await moveIssue(deps.db, issue.id, "closed", { why: reason, actor: event.actor }, deps);
}

async function refresh(event: TrackerEvent, tracked: Issue | null, deps: IntakeDeps): Promise<Issue> {
  const { db, tracker, repository, log } = deps;
  const fetched = await fetchDiscussion(event, { tracker, log }).catch(async (error: unknown) => {
    if (tracked) {
      const existing = await countMessages(db, tracked.id);
      log.warn({ issue_id: tracked.id, existing_count: existing, error: String(error) }, "stored discussion kept");
    }
    throw error;
  });
  const { issue, messages } = fetched;
  const words = [
    issue.title,
    issue.body,
    ...messages.filter((message) => message.role === "reporter").map((m) => m.content),
  ];
  return await db.transaction(async (tx) => {
    const saved = await saveIssue(
      tx,
      repository.id,
      {
        externalIssueId: issue.externalIssueId,
        title: issue.title,
        body: issue.body,
        labels: issue.labels,
        assignees: issue.assignees,
        reporter: issue.author,
        url: issue.url,
        openedAt: issue.createdAt,
        language: deps.detectLanguage(words.slice(0, 5).join("\n\n")),
      },
      deps,
    );
    await saveThread(tx, saved.id, messages);
    return saved;
  });
}
