import { type TrackerEvent, isFound, isSpeech } from "../domain/event.ts";
import { silence } from "../domain/bot-loop-guard.ts";
import type { Issue } from "../domain/issue.ts";
import { findIssue } from "../storage/issues.ts";
import type { StoredRepository } from "../storage/repositories.ts";
import { closeThreadFetch } from "../storage/threads.ts";
import type { Context } from "../storage/context.ts";
import { type Tracker, atLeast } from "../adapters/trackers/tracker.ts";
import { type Decision, type Engage, type StopReason, type Wake, callsFor, decide, isBots } from "./decide.ts";
import { areDeciding, mayDecide } from "./deciding-words.ts";
import { type Renewed, renew } from "./store-thread.ts";
import { isAmong } from "../domain/login.ts";

export interface IntakeDeps extends Context {
  tracker: Tracker;
  repository: StoredRepository;
  /** Code of the language that a text is written in. */
  detectLanguage: (text: string) => string;
  /** Who may call Relay (R-LIFE-11); `triage` by default. */
  engage?: Engage;
  /** Whether comments of other bots may wake Relay; false by default (R-IN-4). */
  respondToBots?: boolean;
  /** How often the tracker was looked at for this event before (R-IN-11). */
  looks?: number;
}

export interface Processed {
  decision: Decision;
  /** The issue as stored now; null if Relay is not engaged in it. */
  issue: Issue | null;
}

/**
 * Decides what an event means and stores the result: the issue, its whole thread, its state. Idempotent: it may be
 * repeated after a crash at any point. Throws the tracker's error if the thread cannot be fetched; the stored one is
 * then untouched (R-IN-6).
 */
export async function processEvent(event: TrackerEvent, deps: IntakeDeps): Promise<Processed> {
  const tracked = await findIssue(deps.db, event);
  const names = [deps.tracker.bot, ...deps.tracker.calledAs];
  const decision = decide(event, {
    names,
    state: tracked?.state ?? null,
    actorPermitted: await mayCall(event, deps),
    respondToBots: deps.respondToBots ?? false,
  });
  switch (decision.kind) {
    case "drop":
      return { decision, issue: tracked };
    case "stop":
      return { decision, issue: tracked && (await stop(tracked, decision.reason, event, deps)) };
    case "engage":
    case "resume": {
      const { issue } = await renew(event, tracked, { ...deps, whole: true });
      if (decision.kind === "engage") return { decision, issue };
      return { decision, issue: await resume(issue, event, deps) };
    }
    case "refresh": {
      const renewed = await renew(event, tracked, { ...deps, whole: false });
      const wake = wakeAfter(decision.wake, event, renewed, deps);
      const isDecided = wake === "quiet" && tracked !== null && (await decides(event, tracked, deps));
      return { decision: { kind: "refresh", wake: isDecided ? "now" : wake }, issue: renewed.issue };
    }
    default:
      return decision satisfies never;
  }
}

/** Whether the planner should run after all, now that the thread is up to date. */
function wakeAfter(wake: Wake, event: TrackerEvent, renewed: Renewed, deps: IntakeDeps): Wake {
  if (wake === "no") return heardBeside(renewed, deps);
  // A reconciled change may be Relay's own, or no comment at all.
  if (isFound(event)) return renewed.news ? wake : "no";
  if (!isSpeech(event)) return wake;
  const marked = deps.tracker.provider === "local";
  const facts = { isBot: isBots(event), respondToBots: deps.respondToBots ?? false, marked };
  const reason = silence(renewed.messages, event.actor, facts);
  if (reason === null) return wake;
  deps.log.warn({ issue_id: renewed.issue.id, author: event.actor, reason }, "not answered");
  return "no";
}

/** Whether the event holds words that decide, of somebody who may (R-LIFE-10). */
export async function decides(
  event: TrackerEvent,
  issue: Issue,
  { tracker }: { tracker: Pick<Tracker, "permissionOf"> },
): Promise<boolean> {
  if (event.text === null || event.kind === "opened" || event.kind === "edited" || event.kind === "comment_deleted")
    return false;
  return areDeciding(event.text, issue.state) && (await mayDecide(event, issue, tracker));
}

/** Unread messages whose webhook was lost: reconciliation no longer sees them, so start the debounce here. */
function heardBeside({ issue, messages, news }: Renewed, deps: IntakeDeps): Wake {
  if (!news || issue.debounceUntil !== null || issue.state === "paused" || issue.state === "closed") return "no";
  const person = messages.findLast(({ role, isBot }) => role !== "self" && !isBot);
  if (!person) return "quiet";
  const facts = { isBot: false, respondToBots: deps.respondToBots ?? false, marked: deps.tracker.provider === "local" };
  return silence(messages, person.author, facts) === null ? "quiet" : "no";
}

type Caller = Pick<Tracker, "bot" | "calledAs" | "permissionOf">;

/** Whether the event calls Relay, and its author may (R-LIFE-11). */
export async function mayCall(
  event: TrackerEvent,
  { tracker, engage = "triage" }: Pick<IntakeDeps, "engage"> & { tracker: Caller },
): Promise<boolean> {
  if (!callsFor(event, [tracker.bot, ...tracker.calledAs])) return false;
  if (engage === "anyone" || (Array.isArray(engage) && isAmong(event.actor, engage))) return true;
  const needed = engage === "write" ? "write" : "triage";
  return atLeast(await tracker.permissionOf(event.externalProjectId, event.actor), needed);
}

async function resume({ id }: Issue, event: TrackerEvent, deps: IntakeDeps): Promise<Issue> {
  const record = { why: event.kind, actor: event.actor || "relay" };
  return (await deps.transition(deps.db, id, "issue_resumed", record)).issue;
}

async function stop(issue: Issue, reason: StopReason, event: TrackerEvent, deps: IntakeDeps): Promise<Issue> {
  return await deps.db.transaction(async (tx) => {
    // The issue is not fetched, so store here that it was closed.
    if (reason === "closed") await closeThreadFetch(tx, issue.id);
    const record = { why: event.outcome ?? reason, actor: event.actor || "relay" };
    return (await deps.transition(tx, issue.id, reason === "closed" ? "issue_closed" : "bot_unassigned", record)).issue;
  });
}
