import type { RepositorySettings } from "../config/repository-file.ts";
import { basisOf } from "../propose.ts";
import type { Issue } from "../domain/issue.ts";
import { issueName } from "../domain/issue.ts";
import type { PostedPlan, Task } from "../domain/plan.ts";
import type { Run, RunReason, TakenWord, TaskRequest } from "../domain/work.ts";
import { RelayError } from "../lib/errors.ts";
import { numbered } from "../plan/branch.ts";
import { record } from "../store/audit.ts";
import { getIssue, moveIssue } from "../store/issues.ts";
import { getPlan } from "../store/plans.ts";
import type { StoredRepository } from "../store/rows.ts";
import { addRun, findRequest, listRuns, listUnanswered } from "../store/runs.ts";
import { findTask, moveTask } from "../store/tasks.ts";
import { findRepository } from "../store/tracked.ts";
import type { Tracker } from "../trackers/tracker.ts";
import type { WorkerDeps } from "./worker.ts";

/** A task in the hands of this worker, with all that is known of it. */
export interface Claim {
  task: Task;
  issue: Issue;
  repository: StoredRepository;
  tracker: Tracker;
  settings: RepositorySettings;
  plan: PostedPlan;
  run: Run;
  /** Runs of the task before this one, oldest first. */
  earlier: Run[];
  /** The request that the task has already; null before the first run ended well. */
  request: TaskRequest | null;
  /** What people and checks said to it that no run has acted on. */
  words: TakenWord[];
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
  return await deps.oneAtATime(issueName(address), async () => {
    const task = await findTask(db, taskId);
    const issue = await getIssue(db, known.issueId);
    const plan = await getPlan(db, known.planId);
    if (task === null) return null;
    const repository = await findRepository(db, issue.provider, issue.externalProjectId);
    if (repository === null) {
      throw new RelayError("internal", `${issueName(issue)} belongs to a repository that is no longer stored`);
    }
    const tracker = await deps.trackerFor(repository);
    const settings = await deps.settingsOf(repository, tracker);
    // There a person takes the task, or has it carried out.
    if (settings.mode !== "implement" && asked === undefined) return null;
    const request = await findRequest(db, task.id);
    const words = request === null ? [] : await listUnanswered(db, task.id);
    const runs = await listRuns(db, task.id);
    const begun = runs.find(({ status }) => status === "running");
    if (begun && !(await goesOn(task, issue, deps))) return null;
    const run = begun ?? (await begin({ task, issue, plan, request, words, tracker }, deps));
    if (run === null) return null;
    const earlier = runs.filter(({ id }) => id !== run.id);
    const now = await getIssue(db, issue.id);
    return { task, issue: now, repository, tracker, settings, plan, run, earlier, request, words };
  });
}

/** Whether a run that was cut off may go on: after a crash, or after a pause. */
async function goesOn(task: Task, issue: Issue, deps: WorkerDeps): Promise<boolean> {
  if (task.status !== "running") return false;
  if (issue.state === "in_progress") return true;
  if (issue.state !== "queued") return false;
  await moveIssue(deps.db, issue.id, "in_progress", { why: "the run goes on" }, deps);
  return true;
}

type Found = Pick<Claim, "task" | "issue" | "plan" | "request" | "words" | "tracker">;

async function begin(found: Found, deps: WorkerDeps): Promise<Run | null> {
  const { task, issue, plan, request, words } = found;
  if (task.status !== "queued" || issue.state !== "queued") return null;
  // The look at the thread finds this too, and asks anew; it may only come later than a worker.
  if (plan.status !== "confirmed" || plan.basisSha256 !== basisOf(issue)) return null;
  const branch = request?.branch ?? (await freeBranch(found));
  const reason = reasonOf(request, words);
  const { db, agent } = deps;
  const run = await db.transaction(async (tx) => {
    if (!(await moveTask(tx, task.id, "queued", "running", deps.clock))) return null;
    const added = await addRun(tx, { taskId: task.id, issueId: issue.id, reason, agent: agent.name, branch }, deps);
    await moveIssue(tx, issue.id, "in_progress", { why: `a worker has the task (${reason})` }, deps);
    const after = { run: added.id, reason, agent: agent.name, branch };
    await record(tx, { issueId: issue.id, actor: "relay", what: "run.started", after }, deps);
    return added;
  });
  await deps.show(issue.id);
  return run;
}

/** Words of checks are kept with those of people, under ids that no comment has. */
export const CHECK_PREFIX = "check:";

function reasonOf(request: TaskRequest | null, words: readonly TakenWord[]): RunReason {
  if (request === null) return "plan";
  return words.every(({ externalId }) => externalId.startsWith(CHECK_PREFIX)) ? "checks" : "review";
}

/** Names beside the plan's that are tried where somebody else has made a branch of that name since. */
const MOST_NAMES = 50;

async function freeBranch({ plan, issue, tracker }: Found): Promise<string> {
  const wanted = plan.plan.branch_name;
  for (let n = 1; n <= MOST_NAMES; n += 1) {
    const name = n === 1 ? wanted : numbered(wanted, n);
    if (!(await tracker.branchExists(issue.externalProjectId, name))) return name;
  }
  throw new RelayError("conflict", `all branches from ${wanted} to ${wanted}-${MOST_NAMES} are taken; remove some`);
}
