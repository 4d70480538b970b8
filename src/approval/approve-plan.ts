import { marker } from "../domain/marker.ts";
import type { ThreadMessage } from "../domain/conversation.ts";
import type { Issue } from "../domain/issue.ts";
import type { PostedPlan } from "../domain/plan.ts";
import { basisOf } from "../domain/plan.ts";
import { messageOf } from "../lib/errors.ts";
import { planNotice } from "./plan-notices.ts";
import type { Confirmation, PlanReaction, PlanReply, RefusedYes } from "./consent.ts";
import { confirmationOf, isMoreThanYes } from "./consent.ts";
import { findStop, isAskedAnew, newWords, stop, tellStopped } from "./stop-request.ts";
import { record } from "../storage/audit.ts";
import { getIssue } from "../storage/issues.ts";
import { listMessages, listUnseen } from "../storage/messages.ts";
import { confirmPlan, latestPlan } from "../storage/plans.ts";
import type { StoredRepository } from "../storage/repositories.ts";
import { addTask, latestTask, isOpen } from "../storage/tasks.ts";
import type { Context } from "../storage/context.ts";
import { postOnce } from "../notify/post-once.ts";
import type { Permission, Tracker } from "../adapters/trackers/tracker.ts";

export interface ApprovalDeps extends Context {
  tracker: Tracker;
  repository: StoredRepository;
  /** Logins that may confirm beside those with write access. */
  confirmers: readonly string[];
  thumbsUp: boolean;
  /** Brings the stored thread up to date, so that what was said in the same second is heard. */
  refresh: () => Promise<void>;
}

/**
 * Looks into the thread of an issue whose plan was posted or confirmed, and does what follows from it, except for what
 * the planner must think over first: then nothing is agreed to any more.
 */
export async function checkApproval(issue: Issue, deps: ApprovalDeps): Promise<"nothing to do" | "think it over"> {
  if (issue.state === "waiting_confirmation") {
    const plan = await latestPlan(deps.db, issue.id);
    if (plan?.status === "stale" && plan.stopped) return await restUntilAsked(issue, plan, deps);
    // Made and not shown, or taken back: there is nothing to say yes to.
    if (plan?.status !== "posted") return "think it over";
    return (await confirm(issue.id, deps)) === "changed" ? "think it over" : "nothing to do";
  }
  await deps.refresh();
  const confirmed = await latestPlan(deps.db, issue.id);
  const told = await findStop(await getIssue(deps.db, issue.id), deps);
  if (confirmed !== null && told !== null && (await stop(issue, confirmed, told, deps))) return "nothing to do";
  if (!(await isSomethingWanted(issue.id, issue.state === "queued" ? "all words" : "the issue's own", deps))) {
    await tellStarted(issue.id, deps);
    return "nothing to do";
  }
  const taken = await deps.db.transaction(async (tx) => {
    if (!isOpen(await latestTask(tx, issue.id))) return false;
    return (await deps.transition(tx, issue.id, "request_changed", { why: "the request changed" })).moved;
  });
  if (taken && confirmed !== null) await tellStale(issue, confirmed, deps);
  return "think it over";
}

/** Who agreed learns that it holds no more, before the planner has thought it over (R-CONF-5). */
async function tellStale(issue: Issue, plan: PostedPlan, deps: ApprovalDeps): Promise<void> {
  const words = planNotice({ kind: "stale", version: plan.version }, issue.language);
  await postOnce(issue, { key: `stale:${plan.id}`, words, why: "the request changed" }, deps);
}

/** After a “stop” nothing happens until somebody says what they want. */
async function restUntilAsked(issue: Issue, plan: PostedPlan, deps: ApprovalDeps) {
  await deps.refresh();
  await tellStopped(issue, plan, deps);
  return (await isAskedAnew(issue, plan, deps)) ? "think it over" : "nothing to do";
}

/** Milliseconds between two looks for a thumbs-up: a quarter of the plan's age, within these. */
const LOOKS = { least: 2 * 60_000, most: 3_600_000, until: 14 * 86_400_000 };

/** When to look for a thumbs-up again; null where nothing waits for one, or nobody has cared for two weeks. */
export async function nextLook(
  issueId: string,
  { db, clock }: Pick<ApprovalDeps, "db" | "clock">,
): Promise<Date | null> {
  const plan = await latestPlan(db, issueId);
  if (plan?.status !== "posted" || plan.postedAt === null) return null;
  const now = clock.now().getTime();
  const age = now - plan.postedAt.getTime();
  return age > LOOKS.until ? null : new Date(now + Math.min(LOOKS.most, Math.max(LOOKS.least, age / 4)));
}

/**
 * Whether people said more than yes or no that no cycle has read, or changed the issue itself. Once a worker has the
 * task, other words wait for the end of its run.
 */
async function isSomethingWanted(
  issueId: string,
  counts: "all words" | "the issue's own",
  { db }: Pick<ApprovalDeps, "db">,
): Promise<boolean> {
  const issue = await getIssue(db, issueId);
  const plan = await latestPlan(db, issueId);
  if (plan !== null && plan.basisSha256 !== basisOf(issue)) return true;
  return counts === "all words" && (await newWords(issueId, { db })).some(({ content }) => isMoreThanYes(content));
}

/** More people than this are not asked about in one go; the rest is heard the next time. */
const MOST_PEOPLE = 50;

/**
 * Looks whether the posted plan is agreed to. The thread is fetched once more before anything starts, and every
 * permission is asked of the tracker now (R-CONF-2, R-CONF-3). `changed`: the planner must look first.
 */
async function confirm(issueId: string, deps: ApprovalDeps): Promise<"confirmed" | "changed" | "waiting"> {
  await deps.refresh();
  const issue = await getIssue(deps.db, issueId);
  const plan = await latestPlan(deps.db, issueId);
  if (plan === null || plan.status !== "posted" || plan.postedAt === null) return "waiting";
  const told = await findStop(issue, deps);
  if (told !== null && (await stop(issue, plan, told, deps))) return "waiting";
  if (plan.basisSha256 !== basisOf(issue)) return "changed";
  const judged = await judge(issue, plan, plan.postedAt, deps);
  switch (judged.kind) {
    case "changed":
      return "changed";
    case "waiting":
      await answerRefused(issue, plan, judged.refused, deps);
      return "waiting";
    case "confirmed":
      return await start(issue, plan, judged, deps);
    default:
      return judged satisfies never;
  }
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
  // Said after this version stood there. In the same second it may have been to the one before; its place tells then.
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
    // What a cycle has read and found nothing in, asks for nothing more.
    replies: later.map(replyOf).map((reply, at) => ({ ...reply, settled: !unseen.has(later[at]?.seq ?? 0) })),
    earlier: news.map(replyOf),
    reactions: thumbs.map(reactionOf),
    confirmers: deps.confirmers,
  };
  return { ...confirmationOf(facts), permissions };
}

/** The place in the thread from which on this version was to be seen; null where nothing tells, as after an edit. */
function placeOf({ id, version, commentId }: PostedPlan, thread: readonly ThreadMessage[]): number | null {
  const first = (message: ThreadMessage) =>
    version === 1 && message.externalId === commentId && message.editedAt === null;
  const told = marker(`plan-changed:${id}`);
  const found = thread.findLast(
    (message) => message.role === "self" && (first(message) || message.content.includes(told)),
  );
  return found?.seq ?? null;
}

/** What was edited later was said later. */
function byLastWord(one: ThreadMessage, other: ThreadMessage): number {
  return (one.editedAt ?? one.timestamp).getTime() - (other.editedAt ?? other.timestamp).getTime();
}

/** Thumbs of before this version were for another one. */
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

/** The plan is confirmed, its task queued, the issue moved on: all in one, or not at all (R-CONF-4). */
async function start(
  issue: Issue,
  plan: PostedPlan,
  { by, messageId, permissions }: Extract<Confirmation, { kind: "confirmed" }> & Judged,
  deps: ApprovalDeps,
): Promise<"confirmed" | "waiting"> {
  const permission = permissions.get(by) ?? "none";
  const started = await deps.db.transaction(async (tx) => {
    const now = await getIssue(tx, issue.id);
    if (now.state !== "waiting_confirmation") return false;
    if (!(await confirmPlan(tx, plan.id, { by, permission, messageId }, deps.clock))) return false;
    await addTask(tx, { issueId: issue.id, planId: plan.id, approvedBy: by }, deps);
    const after = { version: plan.version, sha256: plan.sha256, permission, message_id: messageId };
    await record(tx, { issueId: issue.id, actor: by, what: "plan.confirmed", after }, deps);
    const event = deps.repository.mode === "implement" ? "work_approved" : "plan_approved";
    await deps.transition(tx, issue.id, event, { why: `plan ${plan.version} approved`, actor: by });
    return true;
  });
  if (!started) return "waiting";
  await tellStarted(issue.id, deps);
  return "confirmed";
}

/** One comment says that the work is on its way, also after a crash between the start and the comment. */
async function tellStarted(issueId: string, deps: Omit<ApprovalDeps, "refresh">): Promise<void> {
  const issue = await getIssue(deps.db, issueId);
  const task = await latestTask(deps.db, issueId);
  if (issue.state !== "queued" || task?.status !== "queued") return;
  const words = planNotice({ kind: deps.repository.mode === "implement" ? "started" : "agreed" }, issue.language);
  await postOnce(issue, { key: `started:${task.planId}`, words, why: `confirmed by ${task.approvedBy}` }, deps);
}

/** A yes that does not count is answered, once for each version. */
async function answerRefused(issue: Issue, plan: PostedPlan, refused: readonly RefusedYes[], deps: ApprovalDeps) {
  const [first] = refused;
  if (first === undefined) return;
  const people = [...new Set(refused.map(({ author }) => author))];
  const words = planNotice({ kind: "refused", people, needs: first.needs }, issue.language);
  await postOnce(issue, { key: `refused:${plan.id}`, words, why: "the yes needs another permission" }, deps);
}
