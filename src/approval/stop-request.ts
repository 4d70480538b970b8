import type { ThreadMessage } from "../domain/conversation.ts";
import type { Issue } from "../domain/issue.ts";
import { isAmong } from "../domain/login.ts";
import type { PostedPlan } from "../domain/plan.ts";
import { type Reply, asksForMore, readReply } from "./read-reply.ts";
import { retirePlan } from "./retire-plan.ts";
import { announce } from "./plan-notices.ts";
import { record } from "../storage/audit.ts";
import type { Context } from "../storage/context.ts";
import { markAllSeen } from "../storage/messages.ts";
import { endStop, markStopped } from "../storage/plans.ts";
import { isOpen, latestTask } from "../storage/tasks.ts";
import { type Tracker, atLeast } from "../adapters/trackers/tracker.ts";

interface StopDeps extends Context {
  tracker: Tracker;
  confirmers: readonly string[];
}

/** An issue, its plan, and its unread messages, as stored right after a refresh. */
export interface Thread {
  issue: Issue;
  plan: PostedPlan;
  unread: readonly ThreadMessage[];
}

/**
 * The newest stop in effect by a person with a say in the issue: no such person has requested a change since, and its
 * author has not approved since. Null without one.
 */
export async function findStop({ issue, unread }: Thread, deps: StopDeps): Promise<ThreadMessage | null> {
  const isApproved = issue.state === "queued" || issue.state === "in_progress";
  const news = unread.map((message) => ({ message, reply: readReply(message.content) }));
  for (const [at, { message, reply }] of [...news.entries()].toReversed()) {
    if (!isStop(reply, isApproved)) continue;
    const later = news.slice(at + 1);
    if (later.some((other) => other.message.author === message.author && other.reply.kind === "approve")) continue;
    if (!(await hasSay(issue, message.author, deps))) continue;
    // A running task takes no change requests, so none of them lifts a stop.
    const wishes = issue.state === "in_progress" ? [] : later.filter((other) => asksForMore(other.reply));
    for (const author of new Set(wishes.map((wish) => wish.message.author))) {
      if (await hasSay(issue, author, deps)) return null;
    }
    return message;
  }
  return null;
}

/** Before an approval only an explicit stop counts; approved work ends at any rejection. */
function isStop(reply: Reply, isApproved: boolean): boolean {
  if (reply.kind === "stop" || (isApproved && reply.kind === "reject")) return true;
  return "stops" in reply && reply.stops && (isApproved || reply.kind === "reject");
}

/** The reporter, the assignees, and everyone who could approve the plan have a say. */
async function hasSay(issue: Issue, login: string, { tracker, confirmers }: StopDeps): Promise<boolean> {
  if (isAmong(login, [issue.reporter, ...issue.assignees, ...confirmers])) return true;
  return atLeast(await tracker.permissionOf(issue.externalProjectId, login), "write");
}

/**
 * Cancels the plan and its task, also while a worker runs it, and posts one notice. False if there is nothing to stop.
 */
export async function stop({ issue, plan }: Thread, message: ThreadMessage, deps: StopDeps): Promise<boolean> {
  const { author, externalId } = message;
  const why = `@${author} said to stop`;
  const stopped = await deps.db.transaction(async (tx) => {
    if (issue.state !== "waiting_confirmation" && !isOpen(await latestTask(tx, issue.id))) return false;
    if (!(await deps.transition(tx, issue.id, "stop_requested", { why, actor: author })).moved) return false;
    await markStopped(tx, plan.id, deps.clock);
    const after = { version: plan.version, message_id: externalId };
    await record(tx, { issueId: issue.id, actor: author, what: "plan.stopped", why, after }, deps);
    return true;
  });
  if (stopped) await retirePlan(issue, plan, { because: "stopped", by: author }, deps);
  if (stopped) await announceStop(issue, plan, deps);
  return stopped;
}

/** One comment for each version, also after a crash between the stop and the comment. */
async function announceStop(issue: Issue, plan: PostedPlan, deps: StopDeps): Promise<void> {
  await announce(issue, { kind: "stopped" }, { key: `stopped:${plan.id}`, why: "asked to stop" }, deps);
}

/**
 * Whether to plan a stopped issue again. A change request goes to the planner; a mere "go on" by a person with a say
 * asks for a new plan, which needs its own approval.
 */
export async function isResumed({ issue, plan, unread }: Thread, deps: StopDeps): Promise<boolean> {
  await announceStop(issue, plan, deps);
  if (unread.some(({ content }) => asksForMore(readReply(content)))) return true;
  for (const { author, content } of unread) {
    if (readReply(content).kind !== "approve" || !(await hasSay(issue, author, deps))) continue;
    await deps.db.transaction(async (tx) => {
      await endStop(tx, plan.id);
      await markAllSeen(tx, issue.id);
      const after = { version: plan.version };
      await record(tx, { issueId: issue.id, actor: author, what: "plan.taken_up", after }, deps);
    });
    return true;
  }
  return false;
}
