import type { ApprovalDeps } from "../approval/approve-plan.ts";
import type { Issue } from "../domain/issue.ts";
import { nameOf } from "./pull-request/pull-request-closed.ts";
import { phrases } from "../i18n/phrases.ts";
import type { RequestWord, Run, TaskRequest, Wish } from "../domain/work.ts";
import type { FollowUp, HeardWord } from "./pull-request/review-follow-up.ts";
import { followUp as judge, speakersOf } from "./pull-request/review-follow-up.ts";
import { checkWish } from "./pull-request/review-wish.ts";
import { record } from "../storage/audit.ts";
import { getIssue } from "../storage/issues.ts";
import { listTakenWords, takeWords } from "../storage/change-requests.ts";
import { addRun, listRuns, runFacts } from "../storage/runs.ts";
import { countRedChecks, findRequest, redChecksOf } from "../storage/task-requests.ts";
import { findTask, latestTask, moveTask } from "../storage/tasks.ts";
import { postOnce } from "../notify/post-once.ts";
import type { CodeHost, CommitCheck, PullRequest } from "../adapters/trackers/code-host.ts";
import type { Permission } from "../adapters/trackers/tracker.ts";
import { CHECK_PREFIX, conflictWord } from "./request-words.ts";
import { asksForWork } from "./pull-request/asks-for-work.ts";
import { newWords } from "../approval/stop-request.ts";
import { markAllSeen } from "../storage/messages.ts";
import { commitAt } from "../code/git/git.ts";
import type { Repository } from "../code/git/repository.ts";
import type { Clock } from "../lib/clock.ts";
import type { Db } from "../storage/db.ts";
import type { StoredRepository } from "../storage/repositories.ts";
import { conflictBetween } from "./run/workspace/merge.ts";
import type { Task } from "../domain/plan.ts";

export interface FollowUpDeps extends Omit<ApprovalDeps, "refresh"> {
  codeHost: CodeHost;
  respondToBots?: boolean;
  withCode: ConflictDeps["withCode"];
}

/** Milliseconds after a run in which its red checks wait for those that still run. */
const PATIENCE_MS = 3_600_000;

/** So often red checks go back to the agent (R-WORK-9). */
const MOST_RED = 2;

/**
 * Looks what people and checks say to a task's request, and has a worker act on it, on the same branch (R-WORK-9). All is
 * asked of the tracker, so that no delivery need come for it.
 */
export async function followUp(issue: Issue, deps: FollowUpDeps): Promise<void> {
  const { db, codeHost } = deps;
  const task = await latestTask(db, issue.id);
  const request = task && (await findRequest(db, task.id));
  if (task === null || request === null || issue.state !== "in_review") return;
  const opened = await codeHost.getPullRequest(issue.externalProjectId, request.number);
  const delivered = (await listRuns(db, issue.id)).filter((run) => run.taskId === task.id && run.status === "done");
  const under = { issue, task, request, run: delivered.at(-1) ?? null };
  await pointToRequest(under, deps);
  const next = await judged(under, opened, deps);
  switch (next.kind) {
    case "merged":
    case "closed":
      // Since a moment ago; the next look ends it.
      return;
    case "wishes": {
      const words = next.wishes.flatMap(({ threadId, path, line, words: said }) =>
        said.map(({ id, author, content, createdAt }) =>
          wordOf({ id, threadId, author, content, path, line, createdAt }),
        ),
      );
      const wishes = next.wishes.map(({ from, path, line, text }) => ({ from, path, line, text }));
      return await goOn(under, { reason: "review", words, wishes, heard: next.heard }, deps);
    }
    case "checks": {
      const wishes = next.checks.map((check) => ({ ...checkWish(check), from: `check ${check.name}` }));
      const words = next.checks.map((check) => redWord(check, under, deps.clock.now()));
      return await goOn(under, { reason: "checks", words, wishes, heard: next.heard }, deps);
    }
    case "red":
      await hear(under, next.heard, deps);
      await tellRed(under, next.checks, deps);
      return await resolve(under, opened, deps);
    case "nothing":
      await hear(under, next.heard, deps);
      return await resolve(under, opened, deps);
    default:
      return next satisfies never;
  }
}

async function resolve(under: UnderReview, opened: PullRequest, deps: FollowUpDeps): Promise<void> {
  const word = await newConflict(under, opened, deps);
  if (word !== null) await goOn(under, { reason: "conflict", words: [word], wishes: [], heard: [] }, deps);
}

async function judged({ task, issue, run }: UnderReview, opened: PullRequest, deps: FollowUpDeps): Promise<FollowUp> {
  const { db, codeHost, confirmers, respondToBots = false } = deps;
  const project = issue.externalProjectId;
  const isOpen = opened.state === "open";
  const threads = isOpen ? await codeHost.listReviewThreads(project, opened.number) : [];
  const about = { threads, taken: await listTakenWords(db, task.id), calledAs: [codeHost.bot, ...codeHost.calledAs] };
  const permissions = new Map<string, Permission>();
  for (const login of speakersOf(about)) permissions.set(login, await codeHost.permissionOf(project, login));
  const checks = isOpen && run?.head ? await codeHost.listChecks(project, run.head) : [];
  const base = checks.some(({ outcome }) => outcome === "failed") && run?.base ? run.base : null;
  const before = base === null ? [] : await codeHost.listChecks(project, base);
  return judge({
    ...about,
    state: opened.state,
    permissions,
    reviewers: opened.reviewers,
    confirmers,
    respondToBots,
    checks,
    redBefore: before.filter(({ outcome }) => outcome === "failed").map(({ name }) => name),
    redCount: await redChecksOf(db, task.id),
    waitsForChecks: deps.clock.now().getTime() - (run?.endedAt?.getTime() ?? 0) < PATIENCE_MS,
  });
}

interface Asked {
  reason: "review" | "checks" | "conflict";
  words: RequestWord[];
  wishes: Wish[];
  heard: readonly HeardWord[];
}

/** A run for what was asked, queued with it: all in one, or not at all. */
async function goOn({ issue, task, request, run }: UnderReview, asked: Asked, deps: FollowUpDeps): Promise<void> {
  const { db, clock } = deps;
  const { reason, words, wishes, heard } = asked;
  await db.transaction(async (tx) => {
    if ((await getIssue(tx, issue.id)).state !== "in_review") return;
    if ((await findTask(tx, task.id))?.status !== "done") return;
    if (reason === "checks" && !(await countRedChecks(tx, task.id, MOST_RED, clock))) return;
    await moveTask(tx, task.id, "done", "queued", clock);
    const about = { taskId: task.id, issueId: issue.id, agent: run?.agent ?? "", branch: request.branch };
    const firstLook = run && ((await runFacts(tx, run.id)).iterations.find(({ number }) => number === 0) ?? null);
    const next = await addRun(tx, { ...about, reason, base: null, head: null, wishes, firstLook }, deps);
    await takeWords(tx, task.id, heard.map(wordOf), null);
    await takeWords(tx, task.id, words, next.id);
    const after = { run: next.id, reason, words: words.length };
    await record(tx, { issueId: issue.id, actor: "relay", what: "review.taken_up", after }, deps);
    const [first] = words;
    const why = reason === "conflict" ? `conflicts with ${first?.author}` : `${words.length} wish(es) of the ${reason}`;
    await deps.transition(tx, issue.id, "changes_requested", { why });
  });
}

async function hear({ task }: UnderReview, heard: readonly HeardWord[], { db }: FollowUpDeps): Promise<void> {
  if (heard.length > 0) await takeWords(db, task.id, heard.map(wordOf), null);
}

async function tellRed(
  { issue, task, request, run }: UnderReview,
  checks: readonly string[],
  deps: FollowUpDeps,
): Promise<void> {
  const words = phrases("work", issue.language)("still_red", { request: nameOf(request, issue) });
  const told = { key: `red:${task.id}:${run?.head ?? ""}`, words, why: checks.join(", ") };
  await postOnce(issue, told, deps);
}

function wordOf({ id, threadId, ...word }: HeardWord): RequestWord {
  return { externalId: id, externalThreadId: threadId, ...word };
}

/** The same check on another commit is another word. */
function redWord({ name, detail }: CommitCheck, { run }: UnderReview, now: Date): RequestWord {
  const externalId = `${CHECK_PREFIX}${name}@${run?.head ?? ""}`;
  return { externalId, externalThreadId: null, author: name, content: detail, path: null, line: null, createdAt: now };
}

/**
 * Who says in the issue what should be different is told once after each run to say it at the request: there each wish
 * has its place and gets its answer. Also for what was said while the run was under way, so that no word is lost.
 */
async function pointToRequest(
  { issue, request, task, run }: UnderReview,
  deps: Omit<ApprovalDeps, "refresh">,
): Promise<void> {
  const { db, tracker } = deps;
  const words = await newWords(issue.id, { db });
  if (words.length === 0) return;
  if (words.some(({ content }) => asksForWork(content, [tracker.bot, ...tracker.calledAs]))) {
    const told = phrases("work", issue.language)("said_elsewhere", { request: nameOf(request, issue) });
    const key = `elsewhere:${run?.id ?? task.id}`;
    await postOnce(issue, { key, words: told, why: "the change is in review" }, deps);
  }
  await markAllSeen(db, issue.id);
}

interface ConflictDeps {
  db: Db;
  clock: Clock;
  repository: StoredRepository;
  /** The code of a repository as its tracker has it now. */
  withCode: <T>(repository: StoredRepository, work: (code: Repository) => Promise<T>) => Promise<T>;
}

/**
 * A conflict of a request with its base that nobody has tried to resolve yet (R-WORK-9); null where there is none. A base
 * that merely moved is none: bringing it in would cost people attention, and their checks time. Where the tracker does
 * not know, git is asked, which also tells whether it is the same conflict as before.
 */
async function newConflict(
  { task, request }: Pick<UnderReview, "task" | "request">,
  { base, conflicts }: Pick<PullRequest, "base" | "conflicts">,
  { db, clock, repository, withCode }: ConflictDeps,
): Promise<RequestWord | null> {
  if (conflicts === false) return null;
  const conflict = await withCode(repository, async ({ gitDirectory }) => {
    const onto = await commitAt(gitDirectory, `refs/heads/${base}`);
    const head = await commitAt(gitDirectory, `refs/heads/${request.branch}`);
    return onto === null || head === null ? null : await conflictBetween(gitDirectory, head, onto);
  });
  if (conflict === null) return null;
  const word = conflictWord(base, conflict, clock.now());
  return (await listTakenWords(db, task.id)).has(word.externalId) ? null : word;
}

/** A task whose request people look at. */
interface UnderReview {
  issue: Issue;
  task: Task;
  request: TaskRequest;
  /** The newest that brought something to the request. */
  run: Run | null;
}
