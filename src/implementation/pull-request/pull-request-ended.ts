import type { ApprovalDeps } from "../../approval/approve-plan.ts";
import type { Issue } from "../../domain/issue.ts";
import type { IssueState } from "../../domain/lifecycle.ts";
import type { TaskRequest } from "../../domain/work.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Db } from "../../storage/db.ts";
import { requestOf } from "./open-request.ts";
import { getIssue } from "../../storage/issues.ts";
import { latestRun } from "../../storage/runs.ts";
import { addRequest, findRequest, setRequestState } from "../../storage/pull-requests.ts";
import { latestTask } from "../../storage/tasks.ts";
import type { CodeHost, PullRequest, PullRequests } from "../../adapters/trackers/code-host.ts";

/** States in which people can end a request: during review, and while Relay works on it again. */
const OPEN_IN: ReadonlySet<IssueState> = new Set([
  "waiting_confirmation",
  "queued",
  "in_progress",
  "in_review",
  "stuck",
  "failed",
]);

/** The open pull request of an issue's task; null if there is none to watch. */
export async function openRequestOf(issue: Issue, db: Db): Promise<TaskRequest | null> {
  return OPEN_IN.has(issue.state) ? await requestThatIs("open", issue, db) : null;
}

async function requestThatIs(state: TaskRequest["state"], { id }: Issue, db: Db): Promise<TaskRequest | null> {
  const task = await latestTask(db, id);
  const request = task && (await findRequest(db, task.id));
  return request?.state === state ? request : null;
}

/**
 * Like `openRequestOf`, but also finds a request that was opened but not stored, because the worker died or never got
 * the answer. People may have ended it since, and its webhooks do not find the task.
 */
async function findOpenRequest(issue: Issue, { db, clock, codeHost }: LookDeps): Promise<TaskRequest | null> {
  if (!OPEN_IN.has(issue.state)) return null;
  const task = await latestTask(db, issue.id);
  const stored = task && (await findRequest(db, task.id));
  if (stored !== null) return stored.state === "open" ? stored : null;
  const run = task && task.status !== "cancelled" ? await latestRun(db, task.id) : null;
  // A run without a commit has pushed nothing.
  if (task === null || run === null || run.head === null) return null;
  const about = { taskId: task.id, project: issue.externalProjectId, head: run.branch };
  const found = await requestOf({ ...about, base: null, known: null }, codeHost);
  if (found === null) return null;
  const { number, base, url, head: branch } = found;
  const { externalProjectId, id: issueId } = issue;
  return await addRequest(db, { taskId: task.id, issueId, externalProjectId, number, branch, base, url }, clock);
}

type LookDeps = Pick<ApprovalDeps, "db" | "clock"> & { codeHost: PullRequests };

/** How people ended a pull request; null while it is open, or if the tracker no longer has this number. */
async function endedAs(
  issue: Issue,
  request: TaskRequest,
  codeHost: PullRequests,
): Promise<Exclude<PullRequest["state"], "open"> | null> {
  try {
    const { state } = await codeHost.getPullRequest(issue.externalProjectId, request.number);
    return state === "open" ? null : state;
  } catch (error) {
    if (error instanceof RelayError && error.code === "not_found") return null;
    throw error;
  }
}

/**
 * Ends an issue whose pull request was merged or closed, whatever is still running for it (R-WORK-9); false if the
 * request is open, or there is none.
 */
export async function closeWithPullRequest(
  issue: Issue,
  deps: Omit<ApprovalDeps, "refresh"> & LookDeps & { codeHost: Pick<CodeHost, "branchExists"> },
): Promise<boolean> {
  const { db, clock, codeHost } = deps;
  const request = await findOpenRequest(issue, deps);
  const ended = request && (await endedAs(issue, request, codeHost));
  if (request === null || ended === null) return false;
  const branchGone = ended === "closed" && (await isBranchGone(issue, request, codeHost));
  await db.transaction(async (tx) => {
    if (!OPEN_IN.has((await getIssue(tx, issue.id)).state)) return;
    await setRequestState(tx, request.taskId, ended, clock, branchGone);
    const why = `request ${request.number} was ${ended}`;
    await deps.transition(tx, issue.id, ended === "merged" ? "pull_request_merged" : "pull_request_closed", { why });
  });
  return true;
}

/** Whether the code host shows the base of a request, but its branch no more. */
async function isBranchGone(
  { externalProjectId: project }: Issue,
  { branch, base }: TaskRequest,
  codeHost: Pick<CodeHost, "branchExists">,
): Promise<boolean> {
  return !(await codeHost.branchExists(project, branch)) && (await codeHost.branchExists(project, base));
}

/** The closed pull request that a stopped issue would return to if somebody reopened it; null without one. */
export async function closedRequestOf(issue: Issue, db: Db): Promise<TaskRequest | null> {
  return issue.state === "closed" ? await requestThatIs("closed", issue, db) : null;
}

/**
 * Takes a stopped issue back into review where its closed pull request was reopened, and the issue itself is open
 * (R-WORK-9); false otherwise.
 */
export async function reopenWithPullRequest(
  issue: Issue,
  request: TaskRequest,
  deps: Omit<ApprovalDeps, "refresh"> & LookDeps,
): Promise<boolean> {
  const { db, clock, codeHost, tracker } = deps;
  if ((await tracker.getIssue(issue)).state !== "open") return false;
  const { state } = await codeHost.getPullRequest(issue.externalProjectId, request.number);
  if (state !== "open") return false;
  await db.transaction(async (tx) => {
    if ((await getIssue(tx, issue.id)).state !== "closed") return;
    await setRequestState(tx, request.taskId, "open", clock);
    await deps.transition(tx, issue.id, "pull_request_reopened", { why: `request ${request.number} was reopened` });
  });
  return true;
}

/** Whether the merge of its pull request closed the issue: trackers report both, in any order. */
export async function isClosedByMerge(issue: Issue, deps: LookDeps): Promise<boolean> {
  const { db, codeHost } = deps;
  if (issue.state === "done") {
    const task = await latestTask(db, issue.id);
    return task !== null && (await findRequest(db, task.id))?.state === "merged";
  }
  const request = await findOpenRequest(issue, deps);
  return request !== null && (await endedAs(issue, request, codeHost)) === "merged";
}
