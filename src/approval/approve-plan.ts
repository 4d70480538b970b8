import type { ThreadMessage } from "../domain/conversation.ts";
import type { Issue } from "../domain/issue.ts";
import { marker } from "../domain/marker.ts";
import { type PostedPlan, basisOf } from "../domain/plan.ts";
import { answerRefused, besides } from "./answer-refused.ts";
import { answersSomebody } from "./answers-somebody.ts";
import { announce, announceNarrowed } from "./plan-notices.ts";
import { type Confirmation, type PlanReply, confirmationOf, isDecision, mayApprove } from "./consent.ts";
import { decideByOwnWords } from "./inspect-approval.ts";
import { approvesSpecOnly } from "./read-reply.ts";
import { expectShown, restoreIfEdited } from "./plan-comment.ts";
import { retirePlan } from "./retire-plan.ts";
import { asksForChange, isWish } from "./wishes.ts";
import { haltIfRefused, isOfOpenRequest, isResumed, startedKey } from "./stop-request.ts";
import { type Thread, type ThreadDeps, openThread } from "./thread.ts";
import { record } from "../storage/audit.ts";
import type { RelayError } from "../lib/errors.ts";
import { getIssue } from "../storage/issues.ts";
import { confirmPlan, getPlan, latestPlan } from "../storage/plans.ts";
import { setSpecStatus } from "../storage/specs.ts";
import type { RepositoryInForce } from "../storage/repositories.ts";
import { addTask, isBehindOthers, isOpen, latestTask } from "../storage/tasks.ts";
import type { Permission } from "../adapters/trackers/tracker.ts";

/** `plan again`: the planner must consider what people wrote, or there is no plan that could be approved. */
export type ApprovalOutcome = "nothing to do" | "plan again";

export interface ApprovalDeps extends ThreadDeps {
  repository: RepositoryInForce;
  /** Brings the stored thread up to date. */
  refresh: () => Promise<void>;
}

/**
 * Reads the thread of an issue whose plan was posted or approved, and handles approval, refusal and change requests.
 * Anything that the planner must consider first discards the approval.
 */
export async function checkApproval(issue: Issue, deps: ApprovalDeps): Promise<ApprovalOutcome> {
  const isWaiting = issue.state === "waiting_confirmation";
  const latest = await latestPlan(deps.db, issue.id);
  const isStopped = isWaiting && latest?.status === "stale" && latest.stopped;
  // A plan that was not posted yet, or was discarded, cannot be approved; but another one can be stopped.
  const isApprovable = !isWaiting || isStopped || latest?.status === "posted";
  if (!isApprovable && latest?.status !== "stale") return "plan again";
  await deps.refresh();
  const thread = await openThread(issue.id, deps);
  if (thread === null) return "nothing to do";
  if (isStopped) return await resume(thread, deps);
  if (await haltIfRefused(thread, deps)) return "nothing to do";
  if (!isApprovable) return "plan again";
  if (!isWaiting) return await keepOrDiscard(thread, deps);
  const outcome = await decide(thread, deps);
  // The unread votes may include a yes: the job looks again soon, not only with the next poll in minutes.
  if (outcome === "nothing to do" && thread.votesUnread !== null)
    await failIfPosted(issue.id, thread.votesUnread, deps);
  return outcome;
}

/** Takes a halted plan up again, if the refusal is lifted. */
async function resume(thread: Thread, deps: ApprovalDeps): Promise<ApprovalOutcome> {
  const resumed = await isResumed(thread, deps);
  if (resumed !== "as planned") return resumed === "halted" ? "nothing to do" : "plan again";
  await deps.refresh();
  const again = await openThread(thread.issue.id, deps);
  return again === null ? "nothing to do" : await decide(again, deps);
}

async function failIfPosted(issueId: string, error: RelayError, { db }: ApprovalDeps): Promise<void> {
  if ((await latestPlan(db, issueId))?.status === "posted") throw error;
}

/**
 * Whether a refusal keeps Relay from doing more about a pull request in review (R-CONF-7); the thread is up to date.
 */
export async function isReviewHalted(issue: Issue, deps: ThreadDeps): Promise<boolean> {
  const thread = await openThread(issue.id, deps);
  if (thread === null) return false;
  return thread.plan.stopped ? (await isResumed(thread, deps)) === "halted" : await haltIfRefused(thread, deps);
}

/**
 * Once work is approved, a changed request discards the approval; a worker first finishes its current run. Only
 * somebody whose yes would count takes queued work back (R-CONF-9), and only with a wish: a question or a remark changes
 * nothing (R-CONF-5). A wish beside an open pull request belongs there, and is led there when the run has ended.
 */
async function keepOrDiscard(thread: Thread, deps: ApprovalDeps): Promise<ApprovalOutcome> {
  const { issue, plan, reopened } = thread;
  const takesBack = issue.state === "queued" && !(await isOfOpenRequest(issue, deps));
  const wish = takesBack ? await newestWish(thread, thread.unread) : undefined;
  if (plan.basisSha256 === basisOf(issue) && wish === undefined && !reopened) {
    await announceStart(issue, deps);
    return "nothing to do";
  }
  const discarded = await deps.db.transaction(async (tx) => {
    if (!isOpen(await latestTask(tx, issue.id))) return false;
    return (await deps.transition(tx, issue.id, "request_changed", { why: "the request changed" })).moved;
  });
  if (!discarded) return "plan again";
  // People learn at once that their approval no longer holds (R-CONF-5).
  const about = { key: `stale:${plan.id}`, why: "the request changed" };
  const because = reopened ? "answer" : "edited";
  await retirePlan(issue, plan, wish ? { because: "wish", by: wish.author } : { because }, deps);
  await announce(issue, { kind: "stale", version: plan.version }, about, deps);
  return "plan again";
}

/** Of these messages, the newest that asks for a change, of people whose yes would count. */
async function newestWish({ rules, people }: Thread, messages: readonly ThreadMessage[]) {
  const wishes = messages.filter(({ content }) => asksForChange(content));
  const personOf = await people(wishes.map(({ author }) => author).toReversed());
  return wishes.findLast(({ author }) => mayApprove(personOf(author), rules));
}

/** Milliseconds between two polls for reactions: a quarter of the plan's age, within these bounds. */
const POLLS = { least: 2 * 60_000, most: 3_600_000, until: 14 * 86_400_000 };

/** When to poll for reactions again; null without a plan that they could approve or halt, or two weeks after it. */
export async function nextReactionPoll(
  issueId: string,
  { db, clock }: Pick<ApprovalDeps, "db" | "clock">,
): Promise<Date | null> {
  const plan = await latestPlan(db, issueId);
  if (plan === null || plan.postedAt === null) return null;
  const task = plan.status === "confirmed" ? await latestTask(db, issueId) : null;
  const isAtWork = task?.status === "queued" || task?.status === "running";
  if (plan.status !== "posted" && !isAtWork) return null;
  const now = clock.now().getTime();
  const age = now - plan.postedAt.getTime();
  return age > POLLS.until ? null : new Date(now + Math.min(POLLS.most, Math.max(POLLS.least, age / 4)));
}

/**
 * Decides on the posted plan, with a thread just fetched and permissions checked at the tracker now (R-CONF-2,
 * R-CONF-3).
 */
async function decide(thread: Thread, deps: ApprovalDeps): Promise<ApprovalOutcome> {
  const { issue, plan } = thread;
  if (plan.status !== "posted" || plan.postedAt === null) return "nothing to do";
  if (plan.basisSha256 !== basisOf(issue) || thread.reopened) {
    await retirePlan(issue, plan, { because: thread.reopened ? "answer" : "edited" }, deps);
    return "plan again";
  }
  if (await restoreIfEdited(thread, deps)) return "nothing to do";
  const { postedAt } = plan;
  const { judged } = await decideByOwnWords(thread, deps, async (excluded) => {
    const messages = thread.messages.filter(({ externalId }) => !excluded.has(externalId));
    const found = await judge({ ...thread, messages }, postedAt);
    return { judged: found, decisive: found.kind === "confirmed" ? found.messageId : null };
  });
  switch (judged.kind) {
    case "changed":
      await retireForWish(thread, judged.messageIds, deps);
      return "plan again";
    case "waiting":
      await answerRefused(thread, judged.refused, deps);
      return "nothing to do";
    case "confirmed":
      // The requests to the tracker since the thread was read may have taken long.
      await deps.recheck?.(issue);
      expectShown(thread);
      if (deps.repository.mode === "spec") await announceNarrowed(issue, plan.id, "spec", deps);
      else await start(issue, plan, judged, deps);
      return "nothing to do";
    default:
      return judged satisfies never;
  }
}

/** A wish of somebody who decides ends the plan; a question does not, until the planner has read it. */
async function retireForWish(thread: Thread, messageIds: readonly string[], deps: ApprovalDeps): Promise<void> {
  const read = thread.messages.filter(({ externalId }) => messageIds.includes(externalId));
  const wish = await newestWish(thread, read);
  if (wish) await retirePlan(thread.issue, thread.plan, { because: "wish", by: wish.author }, deps);
}

interface Judged {
  permissionOf: (login: string) => Permission;
}

async function judge(
  { plan, messages, unseen, shownBeside, votes, rules, people }: Thread,
  at: Date,
): Promise<Confirmation & Judged> {
  // Written after this version was posted. Within the same second, the position in the thread decides. Comments from a
  // page of Relay may reach the thread long after they were written: they are about the plan that their author saw.
  const shown = placeOf(plan, messages);
  const isLater = ({ timestamp, seq, externalId }: ThreadMessage) =>
    (shownBeside.get(externalId) ?? plan.id) === plan.id &&
    (timestamp > at || (shown !== null && seq > shown && timestamp.getTime() === at.getTime()));
  const others = messages.filter(({ role, isBot }) => role !== "self" && !isBot);
  const later = others.filter(isLater).toSorted(byLastWord);
  const earlier = others.filter((message) => unseen.has(message.seq) && !isLater(message));
  const beside = later.filter((message) => answersSomebody(message, messages));
  const thumbs = votes?.up ?? [];
  // The newest authors first, and only those whose words could decide: thanks, however many, cost no request.
  const weighty = [...earlier, ...later].filter(
    ({ seq, content }) => isDecision(content) || approvesSpecOnly(content) || (unseen.has(seq) && isWish(content)),
  );
  const personOf = await people([...weighty.map(({ author }) => author).toReversed(), ...thumbs]);
  const replyOf = ({ externalId: messageId, author, content, seq }: ThreadMessage): PlanReply => {
    // A message that a cycle has read requests nothing more.
    return { ...personOf(author), messageId, content, settled: !unseen.has(seq) };
  };
  const facts = {
    ...rules,
    replies: later.filter((message) => !beside.includes(message)).map(replyOf),
    earlier: earlier.map(replyOf),
    reactions: thumbs.map(personOf),
  };
  const found = confirmationOf(facts);
  if (found.kind === "waiting") found.refused.push(...besides(beside.map(replyOf), facts));
  return { ...found, permissionOf: (login) => personOf(login).permission };
}

/** The position in the thread at which this version was posted; null if unknown, as after an edit. */
function placeOf({ id, version, commentId }: PostedPlan, thread: readonly ThreadMessage[]): number | null {
  const first = (message: ThreadMessage) =>
    version === 1 && message.externalId === commentId && message.editedAt === null;
  const announced = marker(`plan-changed:${id}`);
  const restored = `<!-- relay:restored:${id}.`;
  const found = thread.findLast(
    (message) =>
      message.role === "self" &&
      (first(message) || message.content.includes(announced) || message.content.includes(restored)),
  );
  return found?.seq ?? null;
}

/** By the time of the last edit. */
function byLastWord(one: ThreadMessage, other: ThreadMessage): number {
  return (one.editedAt ?? one.timestamp).getTime() - (other.editedAt ?? other.timestamp).getTime();
}

/** Plan, task and state change in one transaction (R-CONF-4). */
async function start(
  issue: Issue,
  plan: PostedPlan,
  { by, messageId, permissionOf }: Extract<Confirmation, { kind: "confirmed" }> & Judged,
  deps: ApprovalDeps,
): Promise<void> {
  const permission = permissionOf(by);
  const started = await deps.db.transaction(async (tx) => {
    const now = await getIssue(tx, issue.id);
    if (now.state !== "waiting_confirmation") return false;
    if (!(await confirmPlan(tx, plan.id, { by, permission, messageId }, deps.clock))) return false;
    await addTask(tx, { issueId: issue.id, planId: plan.id, approvedBy: by, mode: deps.repository.mode }, deps);
    const after = { version: plan.version, sha256: plan.sha256, permission, message_id: messageId };
    await record(tx, { issueId: issue.id, actor: by, what: "plan.confirmed", after }, deps);
    // One yes is for both (R-CONF-9).
    await setSpecStatus(tx, issue.id, { status: "approved", by }, deps.clock);
    const event = deps.repository.mode === "implement" ? "work_approved" : "plan_approved";
    await deps.transition(tx, issue.id, event, { why: `plan ${plan.version} approved`, actor: by });
    return true;
  });
  if (started) await announceStart(issue, deps);
}

/**
 * A single comment answers the yes, also after a crash or a refused post between the start and the comment, whatever
 * became of the task meanwhile, unless it has ended (R-CONF-4).
 */
async function announceStart(issue: Issue, deps: ApprovalDeps): Promise<void> {
  const task = await latestTask(deps.db, issue.id);
  if (!isOpen(task)) return;
  const waits = task.status === "queued" && (await isBehindOthers(deps.db, task));
  const kind = deps.repository.mode !== "implement" ? "agreed" : waits ? "waits" : "started";
  const key = startedKey(await getPlan(deps.db, task.planId));
  await announce(issue, { kind }, { key, why: `approved by ${task.approvedBy}` }, deps);
}
