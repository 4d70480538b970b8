import type { RepositorySettings } from "../config/repository-file.ts";
import { type Issue, issueName } from "../domain/issue.ts";
import { type PostedPlan, type Task, basisOf } from "../domain/plan.ts";
import type { Run, StoredFeedback, TaskRequest } from "../domain/work.ts";
import { RelayError } from "../lib/errors.ts";
import type { SpanOptions } from "../lib/trace.ts";
import { withAudience } from "../approval/audience.ts";
import { missingPermission } from "../approval/consent.ts";
import { announce, announceNarrowed } from "../approval/plan-notices.ts";
import { stopForBudget } from "../budget/pause-for-budget.ts";
import { spendingOn } from "../budget/spending.ts";
import { numbered } from "../domain/branch-name.ts";
import { record } from "../storage/audit.ts";
import { getIssue } from "../storage/issues.ts";
import { approverPermission, getPlan } from "../storage/plans.ts";
import { listOpenFeedback } from "../storage/review-feedback.ts";
import { type StoredRepository, repositoriesOf } from "../storage/repositories.ts";
import { addRun, finishRun, listRuns, runFacts } from "../storage/runs.ts";
import { isTaken } from "./pull-request/lost-request.ts";
import type { Db } from "../storage/db.ts";
import { findRequest } from "../storage/pull-requests.ts";
import { findTask, isOpen, isTaskActive, moveTask } from "../storage/tasks.ts";
import type { CodeHost } from "../adapters/trackers/code-host.ts";
import { type Tracker, PERMISSIONS } from "../adapters/trackers/tracker.ts";
import { type ThreadChangeRequest, currentChangeRequests } from "./change-requests.ts";
import type { WorkerDeps } from "./worker.ts";

/** A task claimed by this worker, with everything known about it. */
export interface Claim {
  task: Task;
  issue: Issue;
  repository: StoredRepository;
  tracker: Tracker;
  codeHost: CodeHost;
  settings: RepositorySettings;
  plan: PostedPlan;
  run: Run;
  /** US dollars left for it in the issue's budgets; null without a budget. */
  restUsd: number | null;
  /** Runs of the task before this one, oldest first. */
  earlier: Run[];
  /** The task's pull request; null until a run has succeeded. */
  request: TaskRequest | null;
  /** Feedback from people and checks on the pull request, waiting for this run. */
  words: StoredFeedback[];
  /** The same feedback as requests, thread by thread. */
  changeRequests: ThreadChangeRequest[];
}

/** Attributes for the run's span. */
export function spanOf({ issue, task, run }: Claim): SpanOptions {
  const ids = { "relay.issue.id": issue.id, "relay.task.id": task.id, "relay.run.id": run.id };
  return { attributes: { "relay.issue": issueName(issue), ...ids, "relay.run.reason": run.reason } };
}

/**
 * Claims a waiting task, or resumes one whose worker died; null if nothing is left to do. The issue must still say what
 * was approved (R-CONF-5).
 */
export async function claim(taskId: string, deps: WorkerDeps, asked?: "directly"): Promise<Claim | null> {
  const { db } = deps;
  const known = await findTask(db, taskId);
  if (known === null) return null;
  const address = await getIssue(db, known.issueId);
  return await deps.withIssueLock(issueName(address), async () => {
    const claimed = await getIssue(db, known.issueId);
    const [stored] = await repositoriesOf(db, claimed);
    const tracker = await deps.trackerFor(stored);
    const codeHost = await deps.codeHostFor(stored);
    const issue = await withAudience(claimed, { db, codeHost });
    const settings = await deps.settingsOf(stored, codeHost);
    // In this mode, a person does the task or starts its execution.
    if (settings.mode !== "implement" && asked === undefined) {
      if (known.mode !== "implement" || !isOpen(known)) return null;
      deps.log.warn({ issue: issueName(issue), mode: settings.mode }, "the mode ends before the approved task");
      await announceNarrowed(issue, known.planId, settings.mode, { ...deps, tracker });
      return null;
    }
    if (asked === undefined && isOpen(known)) {
      const needs = await permissionLackedBy(known, deps);
      if (needs !== null) {
        await askAgain(issue, known, needs, { ...deps, tracker });
        return null;
      }
    }
    // A local patch costs nothing.
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
    // The task may also have been cancelled before a crash.
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
 * The permission that the approver lacked for letting Relay change code; null if they had it. If Relay only planned at
 * that time, the reporter's approval was enough (R-CONF-3).
 */
async function permissionLackedBy(
  { planId, approvedBy: author }: Task,
  { db, confirmers }: WorkerDeps,
): Promise<"write" | "maintain" | null> {
  const { risk } = (await getPlan(db, planId)).triage;
  const stored = await approverPermission(db, planId);
  const permission = PERMISSIONS.find((one) => one === stored) ?? "none";
  return missingPermission({ author, permission, isReporter: false }, { mode: "implement", risk, confirmers });
}

/** Does not carry out a plan that was approved while Relay only planned here: a new plan asks for approval again. */
async function askAgain(
  issue: Issue,
  { planId, approvedBy }: Task,
  needs: "write" | "maintain",
  deps: WorkerDeps & { tracker: Tracker },
): Promise<void> {
  const why = "it was approved when nothing was carried out here";
  const about = { key: `again:${planId}`, why };
  await announce(issue, { kind: "refused", people: [approvedBy], needs }, about, deps);
  await deps.transition(deps.db, issue.id, "request_changed", { why });
  await deps.jobs.setWake(issue.id, 0);
}

/** The task's next run, new or resumed; null if none may start. */
async function begin(taskId: string, issue: Issue, codeHost: CodeHost, deps: WorkerDeps): Promise<Run | null> {
  const { db, clock } = deps;
  const task = await findTask(db, taskId);
  const plan = task && (await getPlan(db, task.planId));
  if (task === null || plan === null) return null;
  if (task.status !== "queued" && task.status !== "running") return null;
  if (issue.state !== "queued" && issue.state !== "in_progress") return null;
  // Reading the thread also detects this and asks for approval again, but possibly only after a worker has started.
  if (plan.status !== "confirmed" || plan.basisSha256 !== basisOf(issue)) return null;
  const runs = (await listRuns(db, issue.id)).filter((run) => run.taskId === taskId);
  const begun = runs.find(({ status }) => status === "running");
  const last = runs.at(-1);
  const request = await findRequest(db, taskId);
  const branch = begun?.branch ?? request?.branch ?? (await freeBranch(plan.plan.branch_name, issue, codeHost, db));
  // Later runs are not blamed either for checks that failed before any change.
  const baseline = last ? ((await runFacts(db, last.id)).iterations.find(({ number }) => number === 0) ?? null) : null;
  return await db.transaction(async (tx) => {
    if (task.status === "queued" && !(await moveTask(tx, taskId, "queued", "running", clock))) return null;
    const about = { taskId, issueId: issue.id, agent: deps.agentName, branch, base: null, head: null };
    // A run that failed or waited for an answer is repeated for its original reason.
    const again = last && last.reason !== "plan" ? last.reason : "review";
    const reason = request === null ? "plan" : again;
    const run = begun ?? (await addRun(tx, { ...about, reason, changeRequests: [], baseline }, deps));
    await deps.transition(tx, issue.id, "run_started", { why: `a worker has the task (${run.reason})` });
    // Otherwise each wait for an outage would add an entry.
    if (run.outage !== null) return run;
    const after = { run: run.id, reason: run.reason, agent: deps.agentName, branch };
    const what = begun && task.status === "running" ? "run.resumed" : "run.started";
    await record(tx, { issueId: issue.id, actor: "relay", what, after }, deps);
    return run;
  });
}

/** How many names to try if someone has created a branch with the planned name since. */
const MOST_NAMES = 50;

async function freeBranch(wanted: string, issue: Issue, codeHost: CodeHost, db: Db): Promise<string> {
  const project = issue.externalProjectId;
  for (let n = 1; n <= MOST_NAMES; n += 1) {
    const branch = n === 1 ? wanted : numbered(wanted, n);
    if (!(await isTaken({ project, branch }, { db, codeHost }))) return branch;
  }
  throw new RelayError("conflict", `all branches from ${wanted} to its number ${MOST_NAMES} are taken; remove some`);
}

/**
 * Ends a follow-up run before it begins, because people withdrew all their requests; the issue returns to review. The
 * caller must hold the issue's lock.
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
  // Picks up other feedback that arrived on the pull request meanwhile.
  await deps.jobs.setWake(issue.id, 0);
}
