import { marker } from "../domain/marker.ts";
import { sameLogin } from "../domain/login.ts";
import type { ThreadMessage } from "../domain/conversation.ts";
import type { Issue } from "../domain/issue.ts";
import { type PlanApproval, type PostedPlan, type Stop, basisOf } from "../domain/plan.ts";
import { answersSomebody } from "./answers-somebody.ts";
import { isDecision, mayApprove } from "./consent.ts";
import { approvesPlan, onlyRefuses, refusalIn } from "./read-reply.ts";
import { decideByOwnWords } from "./inspect-approval.ts";
import { type Word, refusalInReview, refusalOf, standingOf, unableToLift } from "./refusal.ts";
import { isSameText } from "./plan-comment.ts";
import { retirePlan, withoutRetirement } from "./retire-plan.ts";
import type { Thread, ThreadDeps } from "./thread.ts";
import { announce, answerPeople } from "./plan-notices.ts";
import { isWish } from "./wishes.ts";
import { nameOf } from "../notify/request-name.ts";
import { unlessMissing } from "../adapters/trackers/missing.ts";
import { record } from "../storage/audit.ts";
import { markAllRead } from "../storage/messages.ts";
import { endStop, keepStop, markStopped, repostPlan } from "../storage/plans.ts";
import { findRequest } from "../storage/pull-requests.ts";
import { isOpen, latestTask } from "../storage/tasks.ts";

/**
 * Halts the plan, its queued task, its run, or further work on its pull request, if somebody with a say refuses, and
 * answers once with what was halted (R-CONF-7). False if there is nothing to halt.
 */
export async function haltIfRefused(thread: Thread, deps: ThreadDeps): Promise<boolean> {
  const { issue, plan, rules, votes } = thread;
  const words = await wordsIn(thread, ({ content, path }) =>
    path === undefined ? refusalIn(content) !== null : refusalInReview(content, path) !== null,
  );
  const downs = votes?.down ?? [];
  const personOf = await thread.people(downs);
  // Where no wish takes it back, a doubt halts it like a run.
  const state = (await isOfOpenRequest(issue, deps)) ? "in_progress" : issue.state;
  const facts = { ...rules, state, words, downs: downs.map(personOf), takenBack: takenBack(thread) };
  const refused = refusalOf(facts);
  if (refused === null || !(await halt(thread, refused, deps))) return false;
  if (refused.halted !== "review") await retirePlan(issue, plan, { because: "stopped", by: refused.by }, deps);
  await answer(plan, refused, issue, deps);
  return true;
}

/** Whether what is queued is a further run for an open pull request. */
export async function isOfOpenRequest({ id, state }: Issue, { db }: Pick<ThreadDeps, "db">): Promise<boolean> {
  const task = state === "queued" ? await latestTask(db, id) : null;
  return task !== null && (await findRequest(db, task.id))?.state === "open";
}

/** The unread words, with the permissions of those that matter; the newest authors are asked for first. */
async function wordsIn(
  { plan, messages, unread, reviewed, people }: Thread,
  matters: (word: Pick<Word, "content" | "path">) => boolean,
): Promise<Word[]> {
  const spoken = unread.filter((message) => !answersSomebody(message, messages));
  const all = [...spoken, ...reviewed].toSorted((a, b) => a.timestamp.getTime() - b.timestamp.getTime());
  const authors = all.filter(matters).map(({ author }) => author);
  const personOf = await people(authors.toReversed());
  return all.map((word): Word => ({
    ...personOf(word.author),
    messageId: word.externalId,
    content: word.content,
    ...("path" in word
      ? { path: word.path, isEarlier: false }
      : {
          isEarlier:
            plan.status === "posted" && plan.postedAt !== null && (word.editedAt ?? word.timestamp) < plan.postedAt,
        }),
  }));
}

/**
 * The approval, if its author took it back: edited into something else, deleted, or, for a reaction, removed. A list
 * that does not show Relay's answer to it yet is an old one, and proves no deletion.
 */
function takenBack({ plan, messages, votes }: Thread): PlanApproval | null {
  const { approval } = plan;
  if (approval === null || plan.status !== "confirmed") return null;
  if (approval.messageId === null) {
    return votes === null || votes.up.some((login) => sameLogin(login, approval.by)) ? null : approval;
  }
  const message = messages.find(({ externalId }) => externalId === approval.messageId);
  if (message !== undefined) {
    return message.editedAt !== null && !approvesPlan(message.content) ? approval : null;
  }
  const answered = marker(startedKey(plan));
  const isAnswered = messages.some(({ role, content }) => role === "self" && content.includes(answered));
  return isAnswered ? { ...approval, messageId: null } : null;
}

/** The key of the comment that answers an approval. */
export function startedKey({ id, confirmations }: Pick<PostedPlan, "id" | "confirmations">): string {
  return confirmations > 1 ? `started:${id}.${confirmations}` : `started:${id}`;
}

/** Plan, task and state change in one transaction. */
async function halt({ issue, plan }: Thread, stop: Stop, deps: ThreadDeps): Promise<boolean> {
  const why = stop.how === "taken_back" ? `@${stop.by} took the approval back` : `@${stop.by} said to stop`;
  return await deps.db.transaction(async (tx) => {
    if ((stop.halted === "queued" || stop.halted === "running") && !isOpen(await latestTask(tx, issue.id)))
      return false;
    if (!(await deps.transition(tx, issue.id, "stop_requested", { why, actor: stop.by })).moved) return false;
    await markStopped(tx, plan.id, stop, deps.clock);
    await markAllRead(tx, issue.id, stop.kept);
    const after = { version: plan.version, message_id: stop.messageId, how: stop.how, halted: stop.halted };
    await record(tx, { issueId: issue.id, actor: stop.by, what: "plan.stopped", why, after }, deps);
    return true;
  });
}

/** One comment for each refusal, also after a crash between the stop and the comment. */
async function answer(plan: PostedPlan, stop: Stop | null, issue: Issue, deps: ThreadDeps): Promise<void> {
  const task = await latestTask(deps.db, issue.id);
  const request = task && (await findRequest(deps.db, task.id));
  const open = request?.state === "open" ? nameOf(request, issue) : null;
  const key = `stopped:${plan.id}${stop?.messageId ? `.${stop.messageId}` : ""}`;
  const facts = stop === null ? {} : { halt: { ...stop, version: plan.version, request: open } };
  await announce(issue, { kind: "stopped", ...facts }, { key, why: "asked to stop" }, deps);
}

/**
 * Whether a halted issue is taken up again: a change request goes to the planner, or to the review. A mere “go on”
 * resumes halted work, or a plan in doubt, as planned if nothing else changed: the plan waits again, and the “go on” is
 * the first answer to it. Otherwise a new plan needs its own approval, or the review continues.
 */
export async function isResumed(thread: Thread, deps: ThreadDeps): Promise<"halted" | "resumed" | "as planned"> {
  const { issue, plan, rules } = thread;
  await answer(plan, plan.stop, issue, deps);
  const heard = await wordsIn(thread, ({ content }) => isDecision(content) || isWish(content));
  const { standing, words } = await decideByOwnWords(thread, deps, (excluded) => {
    const counted = heard.filter(({ messageId }) => !excluded.has(messageId));
    const found = standingOf(plan.stop, counted, rules);
    return { standing: found, words: counted, decisive: found.lifted ? found.by.messageId : null };
  });
  if (!standing.lifted) {
    const { stop } = standing;
    if (stop === null) return "halted";
    if (stop.by !== plan.stop?.by) await keepStop(deps.db, plan.id, stop);
    const about = { key: `not-lifted:${plan.id}`, why: "the refusal needs another permission to be lifted" };
    const people = unableToLift(stop, words, rules);
    await answerPeople(thread, { kind: "not_lifted", people, by: stop.by }, about, deps);
    return "halted";
  }
  const { author, content, messageId } = standing.by;
  const isGoOn = approvesPlan(content);
  const isChanged = words.some((word) => isChange(word, plan.stop) && mayApprove(word, rules));
  const again = isGoOn && !isChanged ? await postedAgain(thread, messageId, deps) : null;
  await deps.db.transaction(async (tx) => {
    if (again === null) await endStop(tx, plan.id);
    else await repostPlan(tx, plan.id, again);
    if (isGoOn) await markAllRead(tx, issue.id, again === null ? plan.stop?.kept : again.unread);
    const after = { version: plan.version, as_planned: again !== null };
    await record(tx, { issueId: issue.id, actor: author, what: "plan.taken_up", after }, deps);
  });
  return again === null ? "resumed" : "as planned";
}

/**
 * Whether words ask for a change; a refusal that says nothing else does not, nor a doubt that Relay has asked about.
 */
function isChange({ messageId, content }: Word, stop: Stop | null): boolean {
  if (!isWish(content)) return false;
  if (messageId !== stop?.messageId) return true;
  return stop.how !== "doubtful" && !onlyRefuses(content);
}

/**
 * The time from which answers to a halted plan count once its comment shows it again: that of the words that lifted the
 * refusal. Null if the plan cannot wait again, because the request changed or its comment is not as posted.
 */
async function postedAgain(
  { issue, plan, messages, unseen, unread, reopened }: Thread,
  liftedIn: string,
  deps: ThreadDeps,
) {
  const { stop, commentId, commentBody } = plan;
  const lifted = messages.find(({ externalId }) => externalId === liftedIn);
  const shown = messages.find(({ externalId }) => externalId === commentId);
  if (stop === null || lifted === undefined || shown === undefined || commentId === null || commentBody === null)
    return null;
  // A plan that was refused is not carried out; one that was doubted is what Relay asked about.
  if (stop.halted === "review" || (stop.halted === "plan" && stop.how !== "doubtful")) return null;
  if (plan.basisSha256 !== basisOf(issue) || reopened) return null;
  // Nothing that was read before may count as an answer again.
  const isRead = ({ role, seq, timestamp }: ThreadMessage) =>
    role !== "self" && !unseen.has(seq) && timestamp >= lifted.timestamp;
  if (messages.some(isRead) || !isSameText(withoutRetirement(shown.content), commentBody)) return null;
  const votes = deps.thumbsUp ? await deps.tracker.listVotes(issue, commentId) : { up: [], down: [] };
  if ((await unlessMissing(deps.tracker.updateComment(issue, commentId, commentBody))) === null) return null;
  const isStillNew = ({ timestamp, content }: ThreadMessage) =>
    timestamp >= lifted.timestamp || (isWish(content) && refusalIn(content) === null);
  return {
    postedAt: new Date(lifted.timestamp.getTime() - 1),
    earlierThumbs: votes.up,
    earlierDowns: votes.down,
    unread: unread.filter(isStillNew).map(({ externalId }) => externalId),
  };
}
