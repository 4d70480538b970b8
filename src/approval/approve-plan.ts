import { marker } from "../domain/marker.ts";
import type { ThreadMessage } from "../domain/conversation.ts";
import type { Issue } from "../domain/issue.ts";
import { type PostedPlan, basisOf } from "../domain/plan.ts";
import { messageOf } from "../lib/errors.ts";
import { announce, announceNarrowed } from "./plan-notices.ts";
import {
  type Confirmation,
  type PlanReaction,
  type PlanReply,
  type RefusedYes,
  confirmationOf,
  isMoreThanYes,
} from "./consent.ts";
import { retirePlan } from "./retire-plan.ts";
import { asksForChange } from "./wishes.ts";
import { type Thread, findStop, isResumed, stop } from "./stop-request.ts";
import { record } from "../storage/audit.ts";
import { getIssue } from "../storage/issues.ts";
import { listMessages, listUnreadByPeople, listUnseen } from "../storage/messages.ts";
import { confirmPlan, latestPlan } from "../storage/plans.ts";
import type { RepositoryInForce } from "../storage/repositories.ts";
import { addTask, latestTask, isOpen } from "../storage/tasks.ts";
import type { Context } from "../storage/context.ts";
import type { Permission, Tracker } from "../adapters/trackers/tracker.ts";

export interface ApprovalDeps extends Context {
  tracker: Tracker;
  repository: RepositoryInForce;
  /** Logins that may confirm beside those with write access. */
  confirmers: readonly string[];
  thumbsUp: boolean;
  /** Brings the stored thread up to date. */
  refresh: () => Promise<void>;
}

/**
 * Reads the thread of an issue whose plan was posted or approved, and handles approval, stop and rejection. Anything
 * that the planner must consider first discards the approval.
 */
export async function checkApproval(issue: Issue, deps: ApprovalDeps): Promise<"nothing to do" | "think it over"> {
  const isWaiting = issue.state === "waiting_confirmation";
  const latest = await latestPlan(deps.db, issue.id);
  const isStopped = isWaiting && latest?.status === "stale" && latest.stopped;
  // A plan that was not posted yet, or was discarded, cannot be approved; but another one can be stopped.
  const isApprovable = !isWaiting || isStopped || latest?.status === "posted";
  if (!isApprovable && latest?.status !== "stale") return "think it over";
  await deps.refresh();
  const [now, plan] = [await getIssue(deps.db, issue.id), await latestPlan(deps.db, issue.id)];
  if (plan === null) return "nothing to do";
  const thread = { issue: now, plan, unread: await listUnreadByPeople(deps.db, issue.id) };
  if (isStopped) return (await isResumed(thread, deps)) ? "think it over" : "nothing to do";
  const message = await findStop(thread, deps);
  if (message !== null && (await stop(thread, message, deps))) return "nothing to do";
  if (!isApprovable) return "think it over";
  return isWaiting ? await decide(thread, deps) : await keepOrDiscard(thread, deps);
}

/** Once work is approved, a changed request discards the approval; a worker first finishes its current run. */
async function keepOrDiscard({ issue, plan, unread }: Thread, deps: ApprovalDeps) {
  const asksMore = issue.state === "queued" && unread.some(({ content }) => isMoreThanYes(content));
  if (plan.basisSha256 === basisOf(issue) && !asksMore) {
    await announceStart(issue, deps);
    return "nothing to do";
  }
  const discarded = await deps.db.transaction(async (tx) => {
    if (!isOpen(await latestTask(tx, issue.id))) return false;
    return (await deps.transition(tx, issue.id, "request_changed", { why: "the request changed" })).moved;
  });
  // People learn at once that their approval no longer holds (R-CONF-5).
  const about = { key: `stale:${plan.id}`, why: "the request changed" };
  const wish = unread.findLast(({ content }) => asksForChange(content));
  if (discarded)
    await retirePlan(issue, plan, wish ? { because: "wish", by: wish.author } : { because: "edited" }, deps);
  if (discarded) await announce(issue, { kind: "stale", version: plan.version }, about, deps);
  return "think it over";
}

/** Milliseconds between two polls for reactions: a quarter of the plan's age, within these bounds. */
const POLLS = { least: 2 * 60_000, most: 3_600_000, until: 14 * 86_400_000 };

/** When to poll for reactions again; null without a posted plan, or two weeks after it. */
export async function nextReactionPoll(
  issueId: string,
  { db, clock }: Pick<ApprovalDeps, "db" | "clock">,
): Promise<Date | null> {
  const plan = await latestPlan(db, issueId);
  if (plan?.status !== "posted" || plan.postedAt === null) return null;
  const now = clock.now().getTime();
  const age = now - plan.postedAt.getTime();
  return age > POLLS.until ? null : new Date(now + Math.min(POLLS.most, Math.max(POLLS.least, age / 4)));
}

/** Permissions checked at once; the rest is checked the next time. */
const MOST_PEOPLE = 50;

/**
 * Decides on the posted plan, with a thread just fetched and permissions checked at the tracker now (R-CONF-2,
 * R-CONF-3).
 */
async function decide({ issue, plan }: Thread, deps: ApprovalDeps): Promise<"nothing to do" | "think it over"> {
  if (plan.status !== "posted" || plan.postedAt === null) return "nothing to do";
  if (plan.basisSha256 !== basisOf(issue)) {
    await retirePlan(issue, plan, { because: "edited" }, deps);
    return "think it over";
  }
  const judged = await judge(issue, plan, plan.postedAt, deps);
  switch (judged.kind) {
    case "changed":
      await retireForWish(issue, plan, judged.messageIds, deps);
      return "think it over";
    case "waiting":
      await answerRefused(issue, plan, judged.refused, deps);
      return "nothing to do";
    case "confirmed":
      if (deps.repository.mode === "spec") await announceNarrowed(issue, plan.id, "spec", deps);
      else await start(issue, plan, judged, deps);
      return "nothing to do";
    default:
      return judged satisfies never;
  }
}

/** A wish changes the plan; a question leaves it standing until the planner has read it. */
async function retireForWish(issue: Issue, plan: PostedPlan, messageIds: readonly string[], deps: ApprovalDeps) {
  const wishes = (await listMessages(deps.db, issue.id)).filter(({ externalId }) => messageIds.includes(externalId));
  const wish = wishes.findLast(({ content }) => asksForChange(content));
  if (wish) await retirePlan(issue, plan, { because: "wish", by: wish.author }, deps);
}

interface Judged {
  permissions: ReadonlyMap<string, Permission>;
}

async function judge(
  issue: Issue,
  plan: PostedPlan,
  postedAt: Date,
  deps: ApprovalDeps,
): Promise<Confirmation & Judged> {
  const unseen = new Set(await listUnseen(deps.db, issue.id));
  const thread = await listMessages(deps.db, issue.id);
  const messages = thread.filter(({ role }) => role !== "self");
  // Written after this version was posted. Within the same second, the position in the thread decides.
  const shown = placeOf(plan, thread);
  const isLater = ({ timestamp, seq }: ThreadMessage) =>
    timestamp > postedAt || (shown !== null && seq > shown && timestamp.getTime() === postedAt.getTime());
  const later = messages.filter(isLater).toSorted(byLastWord);
  const news = messages.filter((message) => unseen.has(message.seq) && !isLater(message));
  const thumbs = deps.thumbsUp && plan.commentId !== null ? await newThumbs(issue, plan, plan.commentId, deps) : [];
  const people = [...new Set([...later, ...news].map(({ author }) => author).concat(thumbs))].slice(0, MOST_PEOPLE);
  const permissions = new Map<string, Permission>();
  for (const login of people) {
    permissions.set(login, await deps.tracker.permissionOf(issue.externalProjectId, login));
  }
  const known = ({ author }: { author: string }) => permissions.get(author) ?? "none";
  const replyOf = (message: ThreadMessage): PlanReply => ({
    messageId: message.externalId,
    author: message.author,
    isBot: message.isBot,
    isReporter: message.role === "reporter",
    content: message.content,
    permission: known(message),
  });
  const reactionOf = (author: string): PlanReaction => ({
    author,
    isBot: author.endsWith("[bot]"),
    isReporter: author.toLowerCase() === issue.reporter.toLowerCase(),
    permission: known({ author }),
  });
  const facts = {
    mode: deps.repository.mode,
    risk: plan.triage.risk,
    // A message that a cycle has read requests nothing more.
    replies: later.map(replyOf).map((reply, at) => ({ ...reply, settled: !unseen.has(later[at]?.seq ?? 0) })),
    earlier: news.map(replyOf),
    reactions: thumbs.map(reactionOf),
    confirmers: deps.confirmers,
  };
  return { ...confirmationOf(facts), permissions };
}

/** The position in the thread at which this version was posted; null if unknown, as after an edit. */
function placeOf({ id, version, commentId }: PostedPlan, thread: readonly ThreadMessage[]): number | null {
  const first = (message: ThreadMessage) =>
    version === 1 && message.externalId === commentId && message.editedAt === null;
  const announced = marker(`plan-changed:${id}`);
  const found = thread.findLast(
    (message) => message.role === "self" && (first(message) || message.content.includes(announced)),
  );
  return found?.seq ?? null;
}

/** By the time of the last edit. */
function byLastWord(one: ThreadMessage, other: ThreadMessage): number {
  return (one.editedAt ?? one.timestamp).getTime() - (other.editedAt ?? other.timestamp).getTime();
}

/** Reactions given before this version were for an earlier one. */
async function newThumbs(issue: Issue, plan: PostedPlan, commentId: string, deps: ApprovalDeps): Promise<string[]> {
  try {
    const logins = await deps.tracker.listReactions(issue, commentId, "+1");
    const earlier = new Set(plan.earlierThumbs.map((login) => login.toLowerCase()));
    return logins.filter((login) => !earlier.has(login.toLowerCase()));
  } catch (error) {
    deps.log.warn({ issue_id: issue.id, error: messageOf(error) }, "reactions to the plan not read");
    return [];
  }
}

/** Plan, task and state change in one transaction (R-CONF-4). */
async function start(
  issue: Issue,
  plan: PostedPlan,
  { by, messageId, permissions }: Extract<Confirmation, { kind: "confirmed" }> & Judged,
  deps: ApprovalDeps,
): Promise<void> {
  const permission = permissions.get(by) ?? "none";
  const started = await deps.db.transaction(async (tx) => {
    const now = await getIssue(tx, issue.id);
    if (now.state !== "waiting_confirmation") return false;
    if (!(await confirmPlan(tx, plan.id, { by, permission, messageId }, deps.clock))) return false;
    await addTask(tx, { issueId: issue.id, planId: plan.id, approvedBy: by, mode: deps.repository.mode }, deps);
    const after = { version: plan.version, sha256: plan.sha256, permission, message_id: messageId };
    await record(tx, { issueId: issue.id, actor: by, what: "plan.confirmed", after }, deps);
    const event = deps.repository.mode === "implement" ? "work_approved" : "plan_approved";
    await deps.transition(tx, issue.id, event, { why: `plan ${plan.version} approved`, actor: by });
    return true;
  });
  if (started) await announceStart(issue, deps);
}

/** A single comment announces the start of work, also after a crash between the start and the comment (R-CONF-4). */
async function announceStart(issue: Issue, deps: ApprovalDeps): Promise<void> {
  const task = await latestTask(deps.db, issue.id);
  if (task?.status !== "queued") return;
  const kind = deps.repository.mode === "implement" ? "started" : "agreed";
  await announce(issue, { kind }, { key: `started:${task.planId}`, why: `approved by ${task.approvedBy}` }, deps);
}

/** Answers approvals that do not count, once for each version. */
async function answerRefused(issue: Issue, plan: PostedPlan, refused: readonly RefusedYes[], deps: ApprovalDeps) {
  const [first] = refused;
  if (first === undefined) return;
  const people = [...new Set(refused.map(({ author }) => author))];
  const about = { key: `refused:${plan.id}`, why: "the approval needs another permission" };
  await announce(issue, { kind: "refused", people, needs: first.needs }, about, deps);
}
