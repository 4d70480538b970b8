import type { ConversationMessage } from "../domain/conversation.ts";
import { isAmong } from "../domain/login.ts";
import type { Issue } from "../domain/issue.ts";
import type { PostedPlan } from "../domain/plan.ts";
import type { Reply } from "./read-reply.ts";
import { asksForMore, readReply } from "./read-reply.ts";
import { planNotice } from "./plan-notices.ts";
import { record } from "../storage/audit.ts";
import type { Context } from "../storage/context.ts";
import { getIssue } from "../storage/issues.ts";
import { listMessages, listUnseen, markAllSeen } from "../storage/messages.ts";
import { endStop, markStopped } from "../storage/plans.ts";
import { isOpen, latestTask } from "../storage/tasks.ts";
import { postOnce } from "../notify/post-once.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";
import { atLeast } from "../adapters/trackers/tracker.ts";

interface StopDeps extends Context {
  tracker: Tracker;
  confirmers: readonly string[];
}

/** Comments of people that no cycle has read, in the order of the thread. */
export async function newWords(issueId: string, { db }: Pick<StopDeps, "db">): Promise<ConversationMessage[]> {
  const unseen = new Set(await listUnseen(db, issueId));
  return (await listMessages(db, issueId)).filter(({ seq, isBot }) => unseen.has(seq) && !isBot);
}

/**
 * The newest stop that is still in force: its author has a say in the issue and has not approved since, and nobody with
 * a say has asked for anything else since. Null without one.
 */
export async function findStop(issue: Issue, deps: StopDeps): Promise<ConversationMessage | null> {
  const isAgreed = issue.state === "queued" || issue.state === "in_progress";
  const news = (await newWords(issue.id, deps)).map((message) => ({ message, reply: readReply(message.content) }));
  for (const [at, { message, reply }] of [...news.entries()].toReversed()) {
    if (!isStop(reply, isAgreed)) continue;
    const later = news.slice(at + 1);
    if (later.some((other) => other.message.author === message.author && other.reply.kind === "approve")) continue;
    if (!(await hasSay(issue, message.author, deps))) continue;
    // A running task takes no change requests, so they do not revoke a stop.
    const wishes = issue.state === "in_progress" ? [] : later.filter((other) => asksForMore(other.reply));
    for (const author of new Set(wishes.map((wish) => wish.message.author))) {
      if (await hasSay(issue, author, deps)) return null;
    }
    return message;
  }
  return null;
}

/** Before the approval only an explicit stop counts; after it, any rejection stops the work. */
function isStop(reply: Reply, isAgreed: boolean): boolean {
  if (reply.kind === "stop" || (isAgreed && reply.kind === "reject")) return true;
  return "stops" in reply && reply.stops && (isAgreed || reply.kind === "reject");
}

/** Whoever reported the issue, has it, or could agree to its plan. */
async function hasSay(issue: Issue, login: string, { tracker, confirmers }: StopDeps): Promise<boolean> {
  if (isAmong(login, [issue.reporter, ...issue.assignees, ...confirmers])) return true;
  return atLeast(await tracker.permissionOf(issue.externalProjectId, login), "write");
}

/**
 * Does as told: the plan holds no more, its task is cancelled, also where a worker has it, and one comment says so.
 * False where there is nothing to stop.
 */
export async function stop(
  issue: Issue,
  plan: PostedPlan,
  told: ConversationMessage,
  deps: StopDeps,
): Promise<boolean> {
  const stopped = await deps.db.transaction(async (tx) => {
    const { state } = await getIssue(tx, issue.id);
    const why = `@${told.author} said to stop`;
    if (state === "queued" || state === "in_progress" || state === "stuck") {
      if (!isOpen(await latestTask(tx, issue.id))) return false;
    } else if (state !== "waiting_confirmation") return false;
    await deps.transition(tx, issue.id, "stop_requested", { why, actor: told.author });
    await markStopped(tx, plan.id, deps.clock);
    const after = { version: plan.version, message_id: told.externalId };
    await record(tx, { issueId: issue.id, actor: told.author, what: "plan.stopped", why, after }, deps);
    return true;
  });
  if (stopped) await tellStopped(issue, plan, deps);
  return stopped;
}

/** One comment for each version, also after a crash between the stop and the comment. */
export async function tellStopped(issue: Issue, plan: PostedPlan, deps: Omit<StopDeps, "confirmers">): Promise<void> {
  const words = planNotice({ kind: "stopped" }, issue.language);
  await postOnce(issue, { key: `stopped:${plan.id}`, words, why: "told to stop" }, deps);
}

/**
 * Whether somebody wants Relay to go on after a stop. A wish goes to the planner; a mere “go on” of somebody with a say
 * is a wish for the plan, which is then made anew and needs its own yes.
 */
export async function isAskedAnew(issue: Issue, plan: PostedPlan, deps: StopDeps): Promise<boolean> {
  const news = await newWords(issue.id, deps);
  if (news.some(({ content }) => asksForMore(readReply(content)))) return true;
  for (const { author, content } of news) {
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
