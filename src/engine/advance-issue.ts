import { stopForBudget } from "../budget/pause-for-budget.ts";
import type { CycleOutcome } from "../domain/cycle.ts";
import type { RepositorySettings } from "../config/repository-file.ts";
import { nextLook } from "../approval/approve-plan.ts";
import { runCycle } from "./run-cycle.ts";
import type { Issue } from "../domain/issue.ts";
import type { Repository } from "../code/git/repository.ts";
import type { Planner } from "../planner/planner.ts";
import type { MakePlan, PostPlanDeps } from "../plan/post-plan.ts";
import { isPlanDue, isPlanNext, postPlan } from "../plan/post-plan.ts";
import type { IsSmall } from "../plan/fast-track.ts";
import type { Priority } from "../storage/queue/queue.ts";
import type { CycleRecords } from "./recording/recordings.ts";
import type { SpecGenerator } from "../specification/generator.ts";
import type { Budgets } from "../budget/budget.ts";
import type { IssueSpending } from "../budget/spending.ts";
import { spendingOn } from "../budget/spending.ts";
import type { SpecStore } from "../adapters/spec-stores/spec-store.ts";
import type { Context } from "../storage/context.ts";
import { getIssue } from "../storage/issues.ts";
import { listMessages } from "../storage/messages.ts";
import type { StoredRepository } from "../storage/repositories.ts";
import { findBudgetStop } from "../storage/spending.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";

/** What work on an issue needs, from its first cycle to its plan. */
export interface AdvanceDeps extends Context {
  sleep: (ms: number) => Promise<void>;
  specStore: SpecStore;
  /** Opens the code as it is now, for as long as `work` takes. */
  withCode: <T>(repository: StoredRepository, work: (code: Repository) => Promise<T>) => Promise<T>;
  /** Agents tell each of their calls to `spending`, and ask it before a run what may be spent. */
  plannerFor: (code: Repository, spending: IssueSpending) => Planner;
  generatorFor: (code: Repository, spending: IssueSpending) => SpecGenerator;
  /** Who plans the fix once there is a spec; null where Relay's part ends with the spec (R-LIFE-7). */
  makePlanFor: (repository: StoredRepository, spending: IssueSpending, settings: RepositorySettings) => MakePlan | null;
  /** Whether models have a part in triage or plans, so that making a plan costs money. */
  plansWithModels?: boolean;
  /** Whether an issue is small enough to be specified and planned at once, where its repository wants that. */
  isSmall: IsSmall;
  /** Who may confirm a plan beside those with write access, and whether a thumbs-up counts (R-CONF-2, R-CONF-3). */
  confirmation: { confirmers: readonly string[]; thumbsUp: boolean };
  /** Makes ready what a worker on this machine would need first; absent where none works here. Never throws. */
  prepareWork?: (code: Repository) => Promise<void>;
  budgets: Budgets;
  records: CycleRecords;
  jobs: {
    /** Sets the issue's one wake-up; a later call moves it. What is not said to be urgent or idle is neither. */
    setWake: (issueId: string, at: Date, priority?: Priority) => Promise<void>;
  };
}

/** Where the issue is. */
export interface WorkPlace {
  /** With the mode that its own file narrows. */
  repository: StoredRepository;
  tracker: Tracker;
  settings: RepositorySettings;
}

const NOTHING: CycleOutcome = { failures: [], error: null, again: null };

/** A cycle, and then the plan where one is due; both cost money where models do them. */
export async function advanceIssue(
  issue: Issue,
  { repository, tracker, settings }: WorkPlace,
  deps: AdvanceDeps,
): Promise<CycleOutcome> {
  const spending = spendingOn(issue, repository.workspaceId, deps);
  return await deps.withCode(repository, async (code) => {
    const planner = deps.plannerFor(code, spending);
    const generator = deps.generatorFor(code, spending);
    const makePlan = repository.mode === "spec" ? null : deps.makePlanFor(repository, spending, settings);
    // Rules cost nothing, so no budget stops them.
    const plansFree = makePlan === null || deps.plansWithModels !== true;
    const free = planner.name === "offline" && generator.name === "offline" && plansFree;
    const stopped = free ? null : await stopForBudget(issue, repository.workspaceId, { ...deps, tracker });
    if (stopped !== null) {
      const until = (await findBudgetStop(deps.db, issue.id))?.resumesAt ?? null;
      if (until !== null) await deps.jobs.setWake(issue.id, until);
      return stopped;
    }
    const quickWay = settings.quick && makePlan !== null && (await mayGoQuickly(issue, code, deps));
    const parts = { ...deps, quickWay, repository, code, tracker, planner, generator, plansNext: makePlan !== null };
    const proposing = makePlan && { ...parts, makePlan, thumbsUp: deps.confirmation.thumbsUp };
    const proposeNow = async (to: PostPlanDeps) => {
      await postPlan(issue.id, to);
      if (repository.mode === "implement") await deps.prepareWork?.(code);
      await lookAgainLater(issue.id, deps);
    };
    if (proposing && (await isPlanNext(issue, proposing))) {
      await proposeNow(proposing);
      return NOTHING;
    }
    const outcome = await runCycle(issue, parts);
    if (proposing && outcome.again === null && (await isPlanDue(await getIssue(deps.db, issue.id), proposing))) {
      await proposeNow(proposing);
    }
    return outcome;
  });
}

/** Where nothing was asked of the people and no spec is there yet, and the issue is small. */
async function mayGoQuickly(issue: Issue, code: Repository, { db, isSmall }: AdvanceDeps): Promise<boolean> {
  if (issue.spec !== null || issue.state === "awaiting_proceed") return false;
  return await isSmall(issue, await listMessages(db, issue.id), code);
}

/** No tracker tells of every thumbs-up: while a plan waits, somebody looks now and then. */
export async function lookAgainLater(
  issueId: string,
  deps: Pick<AdvanceDeps, "db" | "clock" | "confirmation" | "jobs">,
): Promise<void> {
  if (!deps.confirmation.thumbsUp) return;
  const at = await nextLook(issueId, deps);
  if (at !== null) await deps.jobs.setWake(issueId, at, "background");
}
