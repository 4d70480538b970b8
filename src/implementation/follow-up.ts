import { type ApprovalDeps, isReviewHalted } from "../approval/approve-plan.ts";
import type { ReviewWord, ThreadMessage } from "../domain/conversation.ts";
import type { Issue } from "../domain/issue.ts";
import { RESOLVED_BY_PEOPLE, isInConflict } from "../domain/standing.ts";
import { nameOf } from "../notify/request-name.ts";
import { phrases } from "../i18n/phrases.ts";
import type { Feedback, ChangeRequest, Run } from "../domain/work.ts";
import {
  type ReviewFacts,
  type SeenComment,
  MAX_CHECK_RETRIES,
  followUp as decide,
  freshWords,
  isLeftAsIs,
  redChecks,
  speakersOf,
} from "./pull-request/review-follow-up.ts";
import { checkRequest } from "./pull-request/change-request.ts";
import { record } from "../storage/audit.ts";
import { getIssue } from "../storage/issues.ts";
import { feedbackContents, recordFeedback } from "../storage/review-feedback.ts";
import { answeredInLostRuns } from "./pull-request/thread-answers.ts";
import { addRun, listRuns, runFacts, setRunDetail } from "../storage/runs.ts";
import { countRedChecks, findRequest, markLooked, redChecksOf } from "../storage/pull-requests.ts";
import { findTask, latestTask, moveTask } from "../storage/tasks.ts";
import { postOnce } from "../notify/post-once.ts";
import type { PullRequest } from "../adapters/trackers/code-host.ts";
import type { Permission } from "../adapters/trackers/tracker.ts";
import { type QuestionDeps, type UnderReview, answerQuestions } from "./answer-questions.ts";
import { conflictFeedback } from "./feedback.ts";
import {
  checkFeedback,
  redBefore,
  reportFailedChecks,
  ignoreRedChecks,
  settledOf,
  tellLeftRed,
  tellLeftStuck,
} from "./red-checks.ts";
import { asksForWork, leavesAsIs, wishBesideRed } from "./pull-request/asks-for-work.ts";
import { markAllRead, listUnreadByPeople } from "../storage/messages.ts";
import { commitAt } from "../code/git/git.ts";
import type { Repository } from "../code/git/repository.ts";
import type { Clock } from "../lib/clock.ts";
import type { Db } from "../storage/db.ts";
import type { StoredRepository } from "../storage/repositories.ts";
import { conflictBetween } from "./run/workspace/merge.ts";

export interface FollowUpDeps
  extends Omit<ApprovalDeps, "refresh">, Pick<QuestionDeps, "codeHost" | "specStore" | "withCode" | "answerReview"> {
  respondToBots?: boolean;
}

/** Milliseconds after a run in which failed checks wait for running ones. */
const CHECK_WAIT_MS = 3_600_000;

/**
 * Reads the feedback on a task's pull request and, if needed, starts a run on the same branch to handle it (R-WORK-9).
 * Reads everything from the code host, so a lost webhook does no harm.
 */
export async function followUp(issue: Issue, deps: FollowUpDeps): Promise<void> {
  const { db, codeHost } = deps;
  const task = await latestTask(db, issue.id);
  const request = task && (await findRequest(db, task.id));
  if (task === null || request === null || issue.state !== "in_review") return;
  const said = await reviewSaid(issue, { task, request }, deps);
  const runs = (await listRuns(db, issue.id)).filter((run) => run.taskId === task.id);
  const last = runs.at(-1) ?? null;
  const gaveUp = last !== null && isGivenUp(last);
  // After Relay gave up, “never mind” refers to what it could not do, and halts nothing else.
  const fresh = freshWords(said).filter(({ content }) => !(gaveUp && leavesAsIs(content)));
  const opened = await codeHost.getPullRequest(issue.externalProjectId, request.number);
  await markLooked(db, task.id, { seenAt: opened.updatedAt, checksRun: false });
  if (await isReviewHalted(issue, { ...deps, reviewWords: async () => await Promise.resolve(fresh) })) return;
  const under = { issue, task, request, run: runs.findLast(({ status }) => status === "done") ?? null };
  const found = await reviewFacts(under, opened, said, deps);
  if (found.checks.some(({ outcome }) => outcome === "pending")) {
    await markLooked(db, task.id, { seenAt: opened.updatedAt, checksRun: true });
  }
  const unread = await listUnreadByPeople(db, issue.id);
  const ignored = await ignoreRedChecks(under, unread, found, deps);
  if (ignored.length > 0) await tellLeftRed({ ...under, run: last }, ignored, found, deps);
  else if (gaveUp && isLeftAsIs(found)) await tellLeftStuck(under, last.id, deps);
  const facts = { ...found, settledChecks: [...found.settledChecks, ...ignored] };
  await pointToRequest(under, unread, facts, deps);
  await answerQuestions(under, facts, deps);
  const next = decide(facts);
  switch (next.kind) {
    case "merged":
    case "closed":
      // The request has just ended; the next wake-up closes the issue.
      return;
    case "review": {
      const words = next.changeRequests.flatMap(({ threadId, path, line, words: comments }) =>
        comments.map(({ id, author, content, createdAt }) =>
          feedbackOf({ id, threadId, author, content, path, line, createdAt }),
        ),
      );
      const changeRequests = next.changeRequests.map(({ from, path, line, text }) => ({ from, path, line, text }));
      return await startRun(under, { reason: "review", words, changeRequests, seen: next.seen }, deps);
    }
    case "checks": {
      const changeRequests = next.checks.map((check) => ({ ...checkRequest(check), from: `check ${check.name}` }));
      const words = next.checks.map((check) => checkFeedback(check, under, deps.clock.now()));
      return await startRun(under, { reason: "checks", words, changeRequests, seen: next.seen }, deps);
    }
    case "red":
      await recordSeen(under, next.seen, deps);
      await reportFailedChecks(under, next.checks, deps);
      return await resolve(under, last, opened, deps);
    case "nothing":
      await recordSeen(under, next.seen, deps);
      return await resolve(under, last, opened, deps);
    default:
      return next satisfies never;
  }
}

/** Whether a run gave up, and waits for people to comment. */
function isGivenUp(run: Run): boolean {
  return run.status === "stuck" || isInConflict(run);
}

async function resolve(under: UnderReview, last: Run | null, opened: PullRequest, deps: FollowUpDeps): Promise<void> {
  const { conflict, word } = await conflictNow(under, opened, deps);
  if (!conflict && last !== null && isInConflict(last)) await setRunDetail(deps.db, last.id, RESOLVED_BY_PEOPLE);
  if (word !== null) await startRun(under, { reason: "conflict", words: [word], changeRequests: [], seen: [] }, deps);
}

/** What people said on the pull request, and which of it was already handled. */
async function reviewSaid(
  { id: issueId, externalProjectId }: Issue,
  { task, request }: Pick<UnderReview, "task" | "request">,
  { db, codeHost }: Pick<FollowUpDeps, "db" | "codeHost">,
): Promise<Pick<ReviewFacts, "threads" | "taken" | "calledAs">> {
  const threads = await codeHost.listReviewThreads(externalProjectId, request.number);
  const taken = new Map(await feedbackContents(db, task.id));
  const calledAs = [codeHost.bot, ...codeHost.calledAs];
  const runs = new Set((await listRuns(db, issueId)).map(({ id }) => id));
  for (const { id, body } of answeredInLostRuns(threads, calledAs, runs)) taken.set(id, body);
  return { threads, taken, calledAs };
}

/** Unread comments by people on the issue's open pull request; empty without one. */
export async function listReviewWords(
  issue: Issue,
  deps: Pick<FollowUpDeps, "db" | "codeHost">,
): Promise<ReviewWord[]> {
  const task = await latestTask(deps.db, issue.id);
  const request = task && (await findRequest(deps.db, task.id));
  if (task === null || request?.state !== "open") return [];
  return freshWords(await reviewSaid(issue, { task, request }, deps));
}

async function reviewFacts(
  { task, issue, run }: UnderReview,
  opened: PullRequest,
  said: Pick<ReviewFacts, "threads" | "taken" | "calledAs">,
  deps: FollowUpDeps,
): Promise<ReviewFacts> {
  const { db, codeHost, confirmers, respondToBots = false } = deps;
  const project = issue.externalProjectId;
  const isOpen = opened.state === "open";
  const about = { ...said, threads: isOpen ? said.threads : [] };
  const permissions = new Map<string, Permission>();
  for (const login of speakersOf(about)) permissions.set(login, await codeHost.permissionOf(project, login));
  const checks = isOpen && run?.head ? await codeHost.listChecks(project, run.head) : [];
  const failed = checks.filter(({ outcome }) => outcome === "failed").map(({ name }) => name);
  return {
    ...about,
    state: opened.state,
    permissions,
    reviewers: opened.reviewers,
    confirmers,
    respondToBots,
    checks,
    redBefore: await redBefore(failed, { project, base: run?.base ?? null }, deps),
    settledChecks: settledOf(checks, run, about.taken),
    redCount: await redChecksOf(db, task.id),
    waitsForChecks: deps.clock.now().getTime() - (run?.endedAt?.getTime() ?? 0) < CHECK_WAIT_MS,
  };
}

interface Requested {
  reason: "review" | "checks" | "conflict";
  words: Feedback[];
  changeRequests: ChangeRequest[];
  seen: readonly SeenComment[];
}

/** Stores the feedback and queues a run for it, in one transaction. */
async function startRun(
  { issue, task, request, run }: UnderReview,
  asked: Requested,
  deps: FollowUpDeps,
): Promise<void> {
  const { db, clock } = deps;
  const { reason, words, changeRequests, seen } = asked;
  await db.transaction(async (tx) => {
    if ((await getIssue(tx, issue.id)).state !== "in_review") return;
    if ((await findTask(tx, task.id))?.status !== "done") return;
    if (reason === "checks" && !(await countRedChecks(tx, task.id, MAX_CHECK_RETRIES, clock))) return;
    await moveTask(tx, task.id, "done", "queued", clock);
    const about = { taskId: task.id, issueId: issue.id, agent: run?.agent ?? "", branch: request.branch };
    const baseline = run && ((await runFacts(tx, run.id)).iterations.find(({ number }) => number === 0) ?? null);
    const next = await addRun(tx, { ...about, reason, base: null, head: null, changeRequests, baseline }, deps);
    await recordFeedback(tx, task.id, seen.map(feedbackOf), null);
    await recordFeedback(tx, task.id, words, next.id);
    const after = { run: next.id, reason, words: words.length };
    await record(tx, { issueId: issue.id, actor: "relay", what: "review.taken_up", after }, deps);
    const [first] = words;
    const why =
      reason === "conflict" ? `conflicts with ${first?.author}` : `${words.length} requested in the ${reason}`;
    await deps.transition(tx, issue.id, "changes_requested", { why });
  });
}

async function recordSeen({ task }: UnderReview, seen: readonly SeenComment[], { db }: FollowUpDeps): Promise<void> {
  if (seen.length > 0) await recordFeedback(db, task.id, seen.map(feedbackOf), null);
}

function feedbackOf({ id, threadId, ...word }: SeenComment): Feedback {
  return { externalId: id, externalThreadId: threadId, ...word };
}

/**
 * Once per run, points people who request changes in the issue to the pull request, where threads can be answered.
 * Includes messages written during the run, so that none is lost.
 */
async function pointToRequest(
  { issue, request, task, run }: UnderReview,
  words: readonly ThreadMessage[],
  facts: ReviewFacts,
  deps: Omit<ApprovalDeps, "refresh">,
): Promise<void> {
  const { db, tracker } = deps;
  if (words.length === 0) return;
  const red = redChecks(facts);
  if (words.some(({ content }) => asksForWork(wishBesideRed(content, red), [tracker.bot, ...tracker.calledAs]))) {
    const pointer = phrases("work", issue.language)("said_elsewhere", { request: nameOf(request, issue) });
    const key = `elsewhere:${run?.id ?? task.id}`;
    await postOnce(issue, { key, words: pointer, why: "the change is in review" }, deps);
  }
  await markAllRead(db, issue.id);
}

interface ConflictDeps {
  db: Db;
  clock: Clock;
  repository: StoredRepository;
  /** The current code of a repository. */
  withCode: <T>(repository: StoredRepository, work: (code: Repository) => Promise<T>) => Promise<T>;
}

/**
 * Whether a pull request conflicts with its base; `word` is the conflict as feedback, null if it is already recorded
 * (R-WORK-9). Git decides, unless the code host says that nothing conflicts. A base that merely moved is no conflict:
 * merging it would only cost reviews and checks.
 */
async function conflictNow(
  { task, request }: Pick<UnderReview, "task" | "request">,
  { base, conflicts }: Pick<PullRequest, "base" | "conflicts">,
  { db, clock, repository, withCode }: ConflictDeps,
): Promise<{ conflict: boolean; word: Feedback | null }> {
  const none = { conflict: false, word: null };
  if (conflicts === false) return none;
  const conflict = await withCode(repository, async ({ gitDirectory }) => {
    const onto = await commitAt(gitDirectory, `refs/heads/${base}`);
    const head = await commitAt(gitDirectory, `refs/heads/${request.branch}`);
    return onto === null || head === null ? null : await conflictBetween(gitDirectory, head, onto);
  });
  if (conflict === null) return none;
  const word = conflictFeedback(base, conflict, clock.now());
  const isKnown = (await feedbackContents(db, task.id)).has(word.externalId);
  return { conflict: true, word: isKnown ? null : word };
}
