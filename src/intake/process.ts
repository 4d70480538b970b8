import { type TrackerEvent, isFound, isSpeech } from "../domain/event.ts";
import { isWish } from "../approval/wishes.ts";
import { silence } from "../domain/bot-loop-guard.ts";
import { type Issue, issueName } from "../domain/issue.ts";
import { MOVED } from "../storage/issue-overview.ts";
import { findIssue, setAssignees } from "../storage/issues.ts";
import type { StoredRepository } from "../storage/repositories.ts";
import { closeThreadFetch, findLastSeen, hearEnds } from "../storage/threads.ts";
import type { Context } from "../storage/context.ts";
import { type Permission, type Tracker, type TrackerIssue, atLeast } from "../adapters/trackers/tracker.ts";
import { unlessMissing } from "../adapters/trackers/missing.ts";
import {
  type Change,
  type Decision,
  type Engage,
  type KnownFacts,
  type StopReason,
  type Wake,
  callsFor,
  changeOf,
  concerns,
  decide,
  endedBetween,
  isBots,
  isOver,
  isRefusedCall,
  whyDropped,
} from "./decide.ts";
import { LOOKS, NotShownYet, isBehind } from "./lag.ts";
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
  /** Whether the merge of its own pull request closed the issue. */
  isClosedByMerge?: (issue: Issue) => Promise<boolean>;
  /** Whether the error that fetching the issue ended with says that the tracker has it no more. */
  isGone?: (error: unknown, issue: Issue) => Promise<boolean>;
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
  const lastSeen = tracked && (await findLastSeen(deps.db, tracked.repositoryId, [tracked.externalIssueId]));
  const known = { names, seen: lastSeen?.get(event.externalIssueId) ?? null };
  const reason = whyDropped(event, known);
  if (reason !== null) return { decision: { kind: "drop", reason }, issue: tracked };
  const actorPermitted = await mayCall(event, deps);
  if (isRefusedCall(event, { ...known, actorPermitted })) {
    return { decision: { kind: "drop", reason: "mention without permission" }, issue: tracked };
  }
  const issue = await fetchIssue(event, tracked, deps);
  if (tracked !== null && issue === null) {
    const gone = { event, now: { assignees: tracked.assignees, updatedAt: event.at }, change: "closed" as const };
    return { decision: { kind: "stop", reason: "closed" }, issue: await stop(tracked, "closed", gone, deps) };
  }
  if (issue === null) return { decision: { kind: "drop", reason: "gone" }, issue: null };
  requireCurrent(event, issue, known, deps);
  const change = changeOf(issue, known);
  const merged = tracked !== null && change === "closed" && (await deps.isClosedByMerge?.(tracked)) === true;
  const isAtRest = isOver(issue, { ...known, merged });
  const isBack = endedBetween(event, { ...known, now: issue }) === "unassigned";
  const decision = decide(event, {
    ...known,
    now: issue,
    merged,
    actorPermitted,
    assignerPermitted: await mayAssign(event, { now: issue, change: isBack ? "assigned" : change }, deps),
    respondToBots: deps.respondToBots ?? false,
    wished: isAtRest && tracked !== null && (await isWished(event, tracked, actorPermitted, deps)),
  });
  const renewing = { ...deps, issue, whole: tracked === null || tracked.state === "closed" };
  switch (decision.kind) {
    case "drop":
      return { decision, issue: tracked };
    case "stop":
      return {
        decision,
        issue: tracked && (await stop(tracked, decision.reason, { event, now: issue, change }, deps)),
      };
    case "decline": {
      const called = await renew(event, tracked, renewing);
      if (isAtRest) return { decision, issue: called.issue };
      return { decision, issue: await stop(called.issue, "closed", { event, now: issue, change }, deps) };
    }
    case "engage":
    case "resume": {
      const { issue: engaged } = await renew(event, tracked, renewing);
      if (decision.kind === "resume") return { decision, issue: await resume(engaged, { event, now: issue }, deps) };
      await hearEnds(deps.db, engaged.id, issue.updatedAt);
      return { decision, issue: engaged };
    }
    case "restart": {
      const { reason: end } = decision;
      const stopped = tracked && (await stop(tracked, end, { event, now: issue, change: end }, deps));
      const { issue: again } = await renew(event, stopped, { ...renewing, whole: true });
      const kind = end === "closed" ? ("reopened" as const) : ("assigned" as const);
      return { decision, issue: await resume(again, { event: { ...event, kind }, now: issue }, deps) };
    }
    case "refresh": {
      const renewed = await renew(event, tracked, renewing);
      const wake = wakeOnceRefreshed(decision.wake, event, renewed, deps);
      const isDecided = wake === "quiet" && tracked !== null && (await decides(event, tracked, deps));
      return { decision: { kind: "refresh", wake: isDecided ? "now" : wake }, issue: renewed.issue };
    }
    default:
      return decision satisfies never;
  }
}

/** The issue as it is now; null if it was deleted or transferred, as the event tells or the tracker. */
async function fetchIssue(
  event: TrackerEvent,
  tracked: Issue | null,
  { tracker, isGone }: IntakeDeps,
): Promise<TrackerIssue | null> {
  const fetching = tracker.getIssue(event);
  if (event.kind === "closed" && event.outcome !== null) return await unlessMissing(fetching);
  return await fetching.catch(async (error: unknown) => {
    if (tracked !== null && (await isGone?.(error, tracked)) === true) return null;
    throw error;
  });
}

/**
 * Throws `NotShownYet` while the fetched issue may be older than the event, or than the issue as seen before (R-IN-10,
 * R-IN-11).
 */
function requireCurrent(event: TrackerEvent, issue: TrackerIssue, known: KnownFacts, deps: IntakeDeps): void {
  const { tracker, log, looks = 0 } = deps;
  const last = known.seen?.tracker?.updatedAt;
  const isOlder = last !== undefined && issue.updatedAt < last && changeOf(issue, known) !== null;
  const behind = isOlder ? "yes" : isBehind(event, issue, known.names);
  const unsure = tracker.settlesAfterMs === 0 ? 0 : LOOKS.unsure;
  if (behind === "no" || (behind === "perhaps" && looks >= unsure)) return;
  if (looks < LOOKS.all) throw new NotShownYet(`${issueName(event)} is not shown yet as ${event.kind}`, looks);
  log.warn({ issue: issueName(event), event: event.kind }, "the tracker never showed what a delivery told of");
}

/** Whether the planner should run after all, now that the thread is up to date. */
function wakeOnceRefreshed(wake: Wake, event: TrackerEvent, renewed: Renewed, deps: IntakeDeps): Wake {
  if (wake === "no") return wakeForMissedMessages(renewed, deps);
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

/** Whether a comment asks for more, of somebody who decides or may call Relay. */
async function isWished(
  event: TrackerEvent,
  issue: Issue,
  actorPermitted: boolean,
  { tracker }: Pick<IntakeDeps, "tracker">,
): Promise<boolean> {
  const { kind, text } = event;
  if ((kind !== "commented" && kind !== "comment_edited") || text === null || isBots(event) || !isWish(text))
    return false;
  return actorPermitted || (await mayDecide(event, issue, tracker));
}

/** Unread messages whose webhook was lost: reconciliation no longer sees them, so start the debounce here. */
function wakeForMissedMessages({ issue, messages, news, shown }: Renewed, deps: IntakeDeps): Wake {
  if (
    !news ||
    shown.state === "closed" ||
    issue.debounceUntil !== null ||
    issue.state === "paused" ||
    issue.state === "closed"
  )
    return "no";
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
  if (isListed(event.actor, engage)) return true;
  return atLeast(await tracker.permissionOf(event.externalProjectId, event.actor), neededBy(engage));
}

/** Whether who assigned Relay, if anybody did, may call it (R-LIFE-11). */
export async function mayAssign(
  event: TrackerEvent,
  { now, change }: { now: Pick<TrackerIssue, "assignees">; change: Change },
  { tracker, engage = "triage" }: Pick<IntakeDeps, "engage"> & { tracker: Caller & Pick<Tracker, "assignerOf"> },
): Promise<boolean> {
  const names = [tracker.bot, ...tracker.calledAs];
  const isTold = event.kind === "assigned" && concerns(event, { names }) && !isFound(event);
  if (engage === "anyone" || (change !== "assigned" && !isTold)) return true;
  const relay = now.assignees.find((login) => isAmong(login, names)) ?? tracker.bot;
  const assigner = await tracker.assignerOf(event, relay, isTold ? event.actor : null);
  return assigner === null || isListed(assigner.login, engage) || atLeast(assigner.permission, neededBy(engage));
}

function isListed(login: string, engage: Engage): boolean {
  return engage === "anyone" || (Array.isArray(engage) && isAmong(login, engage));
}

function neededBy(engage: Engage): Permission {
  return engage === "write" ? "write" : "triage";
}

async function resume(
  { id }: Issue,
  { event, now }: { event: TrackerEvent; now: Pick<TrackerIssue, "updatedAt"> },
  deps: IntakeDeps,
): Promise<Issue> {
  return await deps.db.transaction(async (tx) => {
    await hearEnds(tx, id, now.updatedAt);
    const record = { why: event.kind, actor: event.actor || "relay" };
    return (await deps.transition(tx, id, "issue_resumed", record)).issue;
  });
}

/** What a stop needs of the issue. */
type Stopped = Pick<TrackerIssue, "assignees" | "updatedAt" | "isMoved">;

async function stop(
  issue: Issue,
  reason: StopReason,
  { event, now, change }: { event: TrackerEvent; now: Stopped; change: Change },
  deps: IntakeDeps,
): Promise<Issue> {
  return await deps.db.transaction(async (tx) => {
    // What the issue is compared with from now on; its thread is not fetched.
    if (change === "closed") await closeThreadFetch(tx, issue.id, now.updatedAt);
    if (change === "unassigned") await setAssignees(tx, issue.id, now.assignees);
    await hearEnds(tx, issue.id, now.updatedAt);
    const why = reason === "closed" && now.isMoved === true ? MOVED : (event.outcome ?? reason);
    const record = { why, actor: event.actor || "relay" };
    return (await deps.transition(tx, issue.id, reason === "closed" ? "issue_closed" : "bot_unassigned", record)).issue;
  });
}
