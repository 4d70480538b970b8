import { unlessMissing } from "../adapters/trackers/missing.ts";
import type { ApprovalDeps } from "../approval/approve-plan.ts";
import { git } from "../code/git/git.ts";
import { phrases } from "../i18n/phrases.ts";
import type { ThreadMessage } from "../domain/conversation.ts";
import type { Issue } from "../domain/issue.ts";
import { leftRedKey, leftStuckKey } from "../domain/standing.ts";
import { code, inRow } from "../domain/text/comment-markdown.ts";
import type { Feedback, Run } from "../domain/work.ts";
import type { CommitCheck } from "../adapters/trackers/code-host.ts";
import { atLeast } from "../adapters/trackers/tracker.ts";
import { nameOf } from "../notify/request-name.ts";
import type { Notices } from "../notify/notices/tell.ts";
import { postOnce } from "../notify/post-once.ts";
import { record } from "../storage/audit.ts";
import { recordFeedback } from "../storage/review-feedback.ts";
import type { QuestionDeps, UnderReview } from "./answer-questions.ts";
import { CHECK_PREFIX } from "./feedback.ts";
import { leftRedBy } from "./pull-request/asks-for-work.ts";
import { type ReviewFacts, checksToIgnore, redChecks } from "./pull-request/review-follow-up.ts";
import { sayOnRequest } from "./request-posts.ts";
import { sha256Of } from "../lib/sha256.ts";

interface RedCheckDeps extends Omit<ApprovalDeps, "refresh">, Pick<QuestionDeps, "codeHost"> {
  notices?: Pick<Notices, "mayBeStuck"> | undefined;
}

/** Stands for the commit of a check that people say to ignore on every commit. */
const ANY_COMMIT = "*";

function checkId(name: string, commit: string): string {
  return `${CHECK_PREFIX}${name}@${commit}`;
}

/** Red checks that need no run: a run already tried on this commit, or people say to ignore them. */
export function settledOf(
  checks: readonly CommitCheck[],
  run: Run | null,
  taken: ReadonlyMap<string, string>,
): string[] {
  return checks
    .map(({ name }) => name)
    .filter((name) => taken.has(checkId(name, run?.head ?? "")) || taken.has(checkId(name, ANY_COMMIT)));
}

/** How many commits of the base are searched for results: CI may not have run on the newest ones. */
const MOST_BEFORE = 5;

/** The failed checks that also fail on the base, on its nearest commit with a result. */
export async function redBefore(
  failed: readonly string[],
  { project, base }: { project: string; base: string | null },
  { codeHost, repository, withCode }: Pick<QuestionDeps, "codeHost" | "withCode"> & Pick<RedCheckDeps, "repository">,
): Promise<string[]> {
  if (base === null || failed.length === 0) return [];
  const unknown = new Set(failed);
  const red: string[] = [];
  let commits: string[] | null = null;
  for (let at = 0; at < MOST_BEFORE && unknown.size > 0; at += 1) {
    if (at === 1)
      commits = await withCode(repository, async ({ gitDirectory }) => await commitsBefore(gitDirectory, base));
    const commit = at === 0 ? base : commits?.[at - 1];
    if (commit === undefined) break;
    // The code host may not know the commit any more.
    for (const { name, outcome } of (await unlessMissing(codeHost.listChecks(project, commit))) ?? []) {
      if (outcome === "pending" || !unknown.delete(name)) continue;
      if (outcome === "failed") red.push(name);
    }
  }
  return red;
}

/** The first parents of a commit, newest first; empty if git does not know it. */
async function commitsBefore(directory: string, commit: string): Promise<string[]> {
  const command = ["rev-list", "--first-parent", "--skip=1", `--max-count=${MOST_BEFORE - 1}`, commit];
  const { code: exit, stdout } = await git(directory, command);
  return exit !== 0
    ? []
    : stdout
        .toString("utf8")
        .split("\n")
        .filter((line) => line !== "");
}

/** The same check on another commit is new feedback. */
export function checkFeedback({ name, detail }: CommitCheck, { run }: UnderReview, now: Date): Feedback {
  return {
    externalId: checkId(name, run?.head ?? ""),
    externalThreadId: null,
    author: name,
    content: detail,
    path: null,
    line: null,
    createdAt: now,
  };
}

/**
 * The red checks that someone with the right to decide says to leave as they are, on the request or in the issue. This
 * is stored, so that no run starts for them on any later commit (R-WORK-15).
 */
export async function ignoreRedChecks(
  under: UnderReview,
  unread: readonly ThreadMessage[],
  facts: ReviewFacts,
  deps: RedCheckDeps,
): Promise<string[]> {
  const names = [...new Set([...checksToIgnore(facts), ...(await ignoredInIssue(unread, facts, under.issue, deps))])];
  await storeIgnored(under, names, deps);
  return names;
}

async function ignoredInIssue(
  words: readonly ThreadMessage[],
  facts: ReviewFacts,
  issue: Issue,
  { codeHost }: Pick<RedCheckDeps, "codeHost">,
): Promise<string[]> {
  const red = redChecks(facts);
  const names = new Set<string>();
  for (const { author, content } of words) {
    const left = leftRedBy(content, red);
    if (left.length === 0 || !atLeast(await codeHost.permissionOf(issue.externalProjectId, author), "write")) continue;
    for (const name of left) names.add(name);
  }
  return [...names];
}

async function storeIgnored(
  { issue, task }: UnderReview,
  names: readonly string[],
  { db, clock, ids }: RedCheckDeps,
): Promise<void> {
  if (names.length === 0) return;
  const nowhere = { externalThreadId: null, path: null, line: null, content: "", createdAt: clock.now() };
  const words = names.map((name) => ({ ...nowhere, externalId: checkId(name, ANY_COMMIT), author: name }));
  await db.transaction(async (tx) => {
    await recordFeedback(tx, task.id, words, null);
    await record(
      tx,
      { issueId: issue.id, actor: "relay", what: "checks.left_red", why: "people said so", after: { checks: names } },
      { clock, ids },
    );
  });
}

/**
 * Comments once on the request with the checks that are left red at people's wish (R-WORK-15). The key encodes whether
 * these are all red checks, for the status comment; `run` is the task's newest.
 */
export async function tellLeftRed(
  under: UnderReview,
  names: readonly string[],
  facts: Pick<ReviewFacts, "checks" | "redBefore" | "taken">,
  deps: RedCheckDeps,
): Promise<void> {
  const isLeft = (name: string) => names.includes(name) || facts.taken.has(checkId(name, ANY_COMMIT));
  const runId = under.run?.id ?? "";
  const kind = redChecks(facts).own.every(isLeft) ? leftRedKey(runId) : `left-red-some:${runId}`;
  const checks = inRow(
    names.map((name) => code(name, 150)),
    600,
    names.length,
  );
  const key = `${kind}:${sha256Of(JSON.stringify(names.toSorted())).slice(0, 16)}`;
  const words = phrases("work", under.issue.language)("left_red", { checks });
  await sayAtRequest(under, { key, words, why: names.join(", ") }, deps);
}

export async function reportFailedChecks(
  under: UnderReview,
  checks: readonly string[],
  deps: RedCheckDeps,
): Promise<void> {
  const { issue, task, request, run } = under;
  const words = phrases("work", issue.language)("still_red", { request: nameOf(request, issue) });
  await sayAtRequest(under, { key: `red:${task.id}:${run?.head ?? ""}`, words, why: checks.join(", ") }, deps);
  await deps.db.transaction(async (tx) => await deps.notices?.mayBeStuck(tx, issue));
}

/** Replies once to a person who says to leave what a run could not do (R-WORK-15); the status comment reads the key. */
export async function tellLeftStuck(under: UnderReview, runId: string, deps: RedCheckDeps): Promise<void> {
  const words = phrases("work", under.issue.language)("left_stuck");
  await sayAtRequest(under, { key: leftStuckKey(runId), words, why: "people said so" }, deps);
}

/** Comments on the request, or in the issue if the request takes no comments. */
async function sayAtRequest(
  { issue, request }: UnderReview,
  notice: { key: string; words: string; why: string },
  deps: RedCheckDeps,
): Promise<void> {
  if (!(await sayOnRequest({ issue, number: request.number, codeHost: deps.codeHost }, notice, deps))) {
    await postOnce(issue, notice, deps);
  }
}
