import type { RepositorySettings } from "../config/repository-file.ts";
import { type Issue, issueName } from "../domain/issue.ts";
import { type PostedPlan, type Task, basisOf } from "../domain/plan.ts";
import type { Run, StoredFeedback, TaskRequest } from "../domain/work.ts";
import { RelayError } from "../lib/errors.ts";
import { stopForBudget } from "../budget/pause-for-budget.ts";
import { spendingOn } from "../budget/spending.ts";
import { numbered } from "../domain/branch-name.ts";
import { record } from "../storage/audit.ts";
import { getIssue } from "../storage/issues.ts";
import { approverPermission, getPlan } from "../storage/plans.ts";
import { listOpenFeedback } from "../storage/review-feedback.ts";
import { type StoredRepository, repositoriesOf } from "../storage/repositories.ts";
import { addRun, finishRun, listRuns, runFacts } from "../storage/runs.ts";
import { findRequest } from "../storage/pull-requests.ts";
import { findTask, moveTask, isTaskActive } from "../storage/tasks.ts";
import type { CodeHost } from "../adapters/trackers/code-host.ts";
import { type Tracker, PERMISSIONS, atLeast } from "../adapters/trackers/tracker.ts";
import { type ThreadChangeRequest, currentChangeRequests } from "./change-requests.ts";
import type { WorkerDeps } from "./worker.ts";

/** A task in the hands of this worker, with all that is known of it. */
export interface Claim {
  task: Task;
  issue: Issue;
  repository: StoredRepository;
  tracker: Tracker;
  codeHost: CodeHost;
  settings: RepositorySettings;
  plan: PostedPlan;
  run: Run;
  /** US dollars that the issue's budgets leave for it; null where none is on. */
  restUsd: number | null;
  /** Runs of the task before this one, oldest first. */
  earlier: Run[];
  /** The request that the task has already; null before the first run ended well. */
  request: TaskRequest | null;
  /** What people and checks said to it that wait for this run. */
  words: StoredFeedback[];
  /** The same, thread by thread: what is asked for. */
  changeRequests: ThreadChangeRequest[];
}

/**
 * Takes a task that waits, or goes on with one whose worker died; null where there is nothing to do any more. What was
 * agreed to must still be what the issue says (R-CONF-5).
 */
export async function claim(taskId: string, deps: WorkerDeps, asked?: "directly"): Promise<Claim | null> {
  const { db } = deps;
  const known = await findTask(db, taskId);
  if (known === null) return null;
  const address = await getIssue(db, known.issueId);
  return await deps.withIssueLock(issueName(address), async () => {
    const issue = await getIssue(db, known.issueId);
    const [stored] = await repositoriesOf(db, issue);
    const tracker = await deps.trackerFor(stored);
    const codeHost = await deps.codeHostFor(stored);
    const settings = await deps.settingsOf(stored, codeHost);
    // There a person takes the task, or has it carried out.
    if (settings.mode !== "implement" && asked === undefined) return null;
    if (asked === undefined && !(await mayBeCarriedOut(known, deps))) {
      deps.log.warn({ issue: issueName(issue) }, "agreed to when nothing was carried out here; it needs another yes");
      return null;
    }
    // A patch costs nothing.
    const free = deps.agentName === "script";
    const stopped = free ? null : await stopForBudget(issue, stored.workspaceId, { ...deps, tracker });
    if (stopped !== null) {
      if (stopped.error !== null) throw stopped.error;
      await deps.syncLabels(issue.id);
      return null;
    }
    const repository = { ...stored, mode: settings.mode };
    const run = await begin(taskId, issue, codeHost, deps);
    if (run === null) return null;
    const request = await findRequest(db, taskId);
    const at = { taskId, project: issue.externalProjectId, number: request?.number ?? null };
    const { words, changeRequests, someWithdrawn } = await currentChangeRequests(
      await listOpenFeedback(db, taskId),
      at,
      { db, codeHost },
    );
    // Taken back before a crash, too.
    const asks = words.length > 0 || run.reason === "plan" || run.reason === "conflict";
    if (!asks || (someWithdrawn && words.length === 0)) {
      await endUnasked({ task: known, issue, run }, deps);
      return null;
    }
    await deps.syncLabels(issue.id);
    return {
      task: known,
      issue: await getIssue(db, issue.id),
      repository,
      tracker,
      codeHost,
      settings,
      run,
      restUsd: free ? null : await spendingOn(issue, stored.workspaceId, deps).restUsd(),
      plan: await getPlan(db, known.planId),
      earlier: (await listRuns(db, issue.id)).filter((one) => one.taskId === taskId && one.id !== run.id),
      request,
      words,
      changeRequests,
    };
  });
}

/**
 * Whether the yes was given by somebody who may have Relay change code: where it only planned at that time, the
 * reporter's was enough (R-CONF-3).
 */
async function mayBeCarriedOut({ planId, approvedBy }: Task, { db, confirmers }: WorkerDeps): Promise<boolean> {
  const { risk } = (await getPlan(db, planId)).triage;
  const said = await approverPermission(db, planId);
  const then = PERMISSIONS.find((permission) => permission === said) ?? "none";
  if (risk === "HIGH") return atLeast(then, "maintain");
  return atLeast(then, "write") || confirmers.some((login) => login.toLowerCase() === approvedBy.toLowerCase());
}

/** The run that the task is to have now, begun or taken up; null where there must be none. */
async function begin(taskId: string, issue: Issue, codeHost: CodeHost, deps: WorkerDeps): Promise<Run | null> {
  const { db, clock } = deps;
  const task = await findTask(db, taskId);
  const plan = task && (await getPlan(db, task.planId));
  if (task === null || plan === null) return null;
  if (task.status !== "queued" && task.status !== "running") return null;
  if (issue.state !== "queued" && issue.state !== "in_progress") return null;
  // The look at the thread finds this too, and asks anew; it may only come later than a worker.
  if (plan.status !== "confirmed" || plan.basisSha256 !== basisOf(issue)) return null;
  const runs = (await listRuns(db, issue.id)).filter((run) => run.taskId === taskId);
  const begun = runs.find(({ status }) => status === "running");
  const last = runs.at(-1);
  const request = await findRequest(db, taskId);
  const branch = begun?.branch ?? request?.branch ?? (await freeBranch(plan.plan.branch_name, issue, codeHost));
  // What was red before any change is no fault of a further run either.
  const baseline = last ? ((await runFacts(db, last.id)).iterations.find(({ number }) => number === 0) ?? null) : null;
  return await db.transaction(async (tx) => {
    if (task.status === "queued" && !(await moveTask(tx, taskId, "queued", "running", clock))) return null;
    const about = { taskId, issueId: issue.id, agent: deps.agentName, branch, base: null, head: null };
    // One that waited for an answer, or failed, is done again for what it was for.
    const again = last && last.reason !== "plan" ? last.reason : "review";
    const reason = request === null ? "plan" : again;
    const run = begun ?? (await addRun(tx, { ...about, reason, changeRequests: [], baseline }, deps));
    await deps.transition(tx, issue.id, "run_started", { why: `a worker has the task (${run.reason})` });
    const after = { run: run.id, reason: run.reason, agent: deps.agentName, branch };
    const what = begun && task.status === "running" ? "run.resumed" : "run.started";
    await record(tx, { issueId: issue.id, actor: "relay", what, after }, deps);
    return run;
  });
}

/** Names beside the plan's that are tried where somebody else has made a branch of that name since. */
const MOST_NAMES = 50;

async function freeBranch(wanted: string, issue: Issue, codeHost: CodeHost): Promise<string> {
  for (let n = 1; n <= MOST_NAMES; n += 1) {
    const name = n === 1 ? wanted : numbered(wanted, n);
    if (!(await codeHost.branchExists(issue.externalProjectId, name))) return name;
  }
  throw new RelayError("conflict", `all branches from ${wanted} to its number ${MOST_NAMES} are taken; remove some`);
}

/**
 * Ends a further run before it begins: people took back all that they had asked for, and the issue is in review as it was.
 * For the holder of the issue's lock.
 */
async function endUnasked(
  { task, issue, run }: { task: Pick<Task, "id">; issue: Issue; run: Run },
  deps: WorkerDeps,
): Promise<void> {
  const { db, clock } = deps;
  const why = "what was asked for was taken back";
  await db.transaction(async (tx) => {
    await finishRun(tx, run.id, { status: "cancelled", detail: why }, clock);
    const after = { run: run.id, status: "cancelled" };
    await record(tx, { issueId: issue.id, actor: "relay", what: "run.ended", why, after }, deps);
    if (!(await isTaskActive(tx, task.id))) return;
    await moveTask(tx, task.id, "running", "done", clock);
    await deps.transition(tx, issue.id, "run_unneeded", { why });
  });
  await deps.syncLabels(issue.id);
  // What else was said to the request meanwhile.
  await deps.jobs.setWake(issue.id, clock.now());
}
