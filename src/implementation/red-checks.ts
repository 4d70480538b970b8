import { unlessMissing } from "../adapters/trackers/missing.ts";
import type { ApprovalDeps } from "../approval/approve-plan.ts";
import { git } from "../code/git/git.ts";
import { phrases } from "../i18n/phrases.ts";
import type { ThreadMessage } from "../domain/conversation.ts";
import type { Issue } from "../domain/issue.ts";
import type { Feedback, Run } from "../domain/work.ts";
import type { CommitCheck } from "../adapters/trackers/code-host.ts";
import { atLeast } from "../adapters/trackers/tracker.ts";
import { nameOf } from "../notify/request-name.ts";
import { postOnce } from "../notify/post-once.ts";
import { record } from "../storage/audit.ts";
import { recordFeedback } from "../storage/review-feedback.ts";
import type { QuestionDeps, UnderReview } from "./answer-questions.ts";
import { CHECK_PREFIX } from "./feedback.ts";
import { leavesRed, namedAmong } from "./pull-request/asks-for-work.ts";
import { type ReviewFacts, checksSetAside, redOf } from "./pull-request/review-follow-up.ts";
import { sayOnRequest } from "./request-posts.ts";

type RedCheckDeps = Omit<ApprovalDeps, "refresh"> & Pick<QuestionDeps, "codeHost">;

/** Stands for the commits of a check that people set aside. */
const ANY_COMMIT = "*";

function checkId(name: string, commit: string): string {
  return `${CHECK_PREFIX}${name}@${commit}`;
}

/** Red checks that need no run: one has tried on this very commit, or people set them aside. */
export function settledOf(
  checks: readonly CommitCheck[],
  run: Run | null,
  taken: ReadonlyMap<string, string>,
): string[] {
  return checks
    .map(({ name }) => name)
    .filter((name) => taken.has(checkId(name, run?.head ?? "")) || taken.has(checkId(name, ANY_COMMIT)));
}

/** Commits of the base that are looked at for results: CI may not have run on the newest ones. */
const MOST_BEFORE = 5;

/** Of the failed checks, those that failed on the base already: on the nearest commit there that has a result. */
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
    if (at === 1) commits = await withCode(repository, async (code) => await commitsBefore(code.gitDirectory, base));
    const commit = at === 0 ? base : commits?.[at - 1];
    if (commit === undefined) break;
    // The code host may not know a commit any more: then it tells nothing.
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
  const { code, stdout } = await git(directory, command);
  return code !== 0
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
 * The red checks that somebody who decides says to leave as they are, at the request or in the issue; that is remembered,
 * so that no run is begun for them, on whatever commit (R-WORK-15).
 */
export async function setAsideRed(
  under: UnderReview,
  unread: readonly ThreadMessage[],
  facts: ReviewFacts,
  deps: RedCheckDeps,
): Promise<string[]> {
  const names = [...new Set([...checksSetAside(facts), ...(await setAsideInIssue(unread, facts, under.issue, deps))])];
  await setAside(under, names, deps);
  return names;
}

async function setAsideInIssue(
  words: readonly ThreadMessage[],
  facts: ReviewFacts,
  issue: Issue,
  { codeHost }: Pick<RedCheckDeps, "codeHost">,
): Promise<string[]> {
  const red = redOf(facts).map(({ name }) => name);
  const said = red.length === 0 ? [] : words.filter(({ content }) => leavesRed(content));
  const names = new Set<string>();
  for (const { author, content } of said) {
    const may = atLeast(await codeHost.permissionOf(issue.externalProjectId, author), "write");
    for (const name of may ? namedAmong(red, content) : []) names.add(name);
  }
  return [...names];
}

async function setAside(
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

export async function reportFailedChecks(
  { issue, task, request, run }: UnderReview,
  checks: readonly string[],
  deps: RedCheckDeps,
): Promise<void> {
  const words = phrases("work", issue.language)("still_red", { request: nameOf(request, issue) });
  const notice = { key: `red:${task.id}:${run?.head ?? ""}`, words, why: checks.join(", ") };
  if (!(await sayOnRequest({ issue, number: request.number, codeHost: deps.codeHost }, notice, deps))) {
    await postOnce(issue, notice, deps);
  }
}
