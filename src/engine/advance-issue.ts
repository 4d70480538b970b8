import { stopForBudget } from "../budget/pause-for-budget.ts";
import type { CycleOutcome } from "../domain/cycle.ts";
import type { RepositorySettings } from "../config/repository-file.ts";
import { nextReactionPoll } from "../approval/approve-plan.ts";
import { runCycle } from "./run-cycle.ts";
import { type Issue, issueName } from "../domain/issue.ts";
import { inSpan } from "../lib/trace.ts";
import type { Repository } from "../code/git/repository.ts";
import type { Planner } from "../planner/planner.ts";
import type { Lack, WorkerFacts } from "../domain/plan.ts";
import { conventionsOf } from "../code/conventions/conventions.ts";
import { specChanges } from "../specification/compare.ts";
import { type MakePlan, type PostPlanDeps, isPlanDue, isPlanNext, postPlan } from "../plan/post-plan.ts";
import type { IsSmall } from "../plan/fast-track.ts";
import type { Priority } from "../lib/priority.ts";
import type { CycleRecords } from "./recording/recordings.ts";
import type { SpecGenerator } from "../specification/generator.ts";
import type { Budgets } from "../budget/budget.ts";
import { type IssueSpending, spendingOn } from "../budget/spending.ts";
import type { SpecStore } from "../adapters/spec-stores/spec-store.ts";
import type { Context } from "../storage/context.ts";
import { getIssue } from "../storage/issues.ts";
import { listMessages, listUnreadSeqs } from "../storage/messages.ts";
import type { RepositoryInForce, StoredRepository } from "../storage/repositories.ts";
import { findBudgetStop } from "../storage/spending.ts";
import type { Tracker } from "../adapters/trackers/tracker.ts";

/** What an issue needs from its first cycle to its plan. */
export interface AdvanceDeps extends Context {
  sleep: (ms: number) => Promise<void>;
  specStore: SpecStore;
  /** Opens the code at its current commit while `work` runs. */
  withCode: <T>(repository: StoredRepository, work: (code: Repository) => Promise<T>) => Promise<T>;
  /** Agents report each call to `spending`, and ask it for the remaining budget before each run. */
  plannerFor: (code: Repository, spending: IssueSpending) => Planner;
  generatorFor: (code: Repository, spending: IssueSpending) => SpecGenerator;
  /** Makes the fix plan from the spec; null where the mode ends with the spec (R-LIFE-7). */
  makePlanFor: (repository: StoredRepository, settings: RepositorySettings) => MakePlan | null;
  /** Whether an issue is small enough for the fast track, in a repository that allows it. */
  isSmall: IsSmall;
  /**
   * Logins that may approve a plan besides those with write access; whether a thumbs-up approves (R-CONF-2, R-CONF-3).
   */
  confirmation: { confirmers: readonly string[]; thumbsUp: boolean };
  /** The worker that carries out plans; absent if there is none. */
  worker?: WorkerFacts;
  /** What is missing for a plan's work, as far as it is known within seconds; absent if nobody can tell (R-WORK-16). */
  lacksOf?: (planId: string) => Promise<readonly Lack[]>;
  /** Prepares the working tree that a worker on this machine will need; absent without a worker. Never throws. */
  prepareWork?: (code: Repository) => Promise<void>;
  budgets: Budgets;
  records: CycleRecords;
  jobs: {
    /** Schedules the issue's one wake-up; a later call moves it. */
    setWake: (issueId: string, at: Date | number, priority?: Priority) => Promise<void>;
  };
}

/** The repository and tracker of an issue. */
export interface IssuePlace {
  repository: RepositoryInForce;
  tracker: Tracker;
  settings: RepositorySettings;
}

const NOTHING: CycleOutcome = { failures: [], error: null, again: null };

/** Runs a cycle, then posts the plan if one is due. With models both cost money, so budgets are checked first. */
export async function advanceIssue(
  issue: Issue,
  { repository, tracker, settings }: IssuePlace,
  deps: AdvanceDeps,
): Promise<CycleOutcome> {
  const spending = spendingOn(issue, repository.workspaceId, deps);
  return await deps.withCode(repository, async (code) => {
    const planner = deps.plannerFor(code, spending);
    const generator = deps.generatorFor(code, spending);
    const makePlan = repository.mode === "spec" ? null : deps.makePlanFor(repository, settings);
    // Rules are free, so no budget applies.
    const byRules = generator.name === "offline";
    const free = planner.name === "offline" && byRules;
    const stopped = free ? null : await stopForBudget(issue, repository.workspaceId, { ...deps, tracker });
    if (stopped !== null) {
      const until = (await findBudgetStop(deps.db, issue.id))?.resumesAt ?? null;
      if (until !== null) await deps.jobs.setWake(issue.id, until, "background");
      return stopped;
    }
    const quickWay = settings.fastTrack && makePlan !== null && (await mayFastTrack(issue, code, deps));
    const parts = { ...deps, quickWay, repository, code, tracker, planner, generator, plansNext: makePlan !== null };
    const runs = async (planId: string) => await runsFor(planId, code, settings, deps);
    const posting = makePlan && {
      ...parts,
      makePlan,
      byRules,
      thumbsUp: deps.confirmation.thumbsUp,
      runs,
      specChanges,
    };
    const postNow = async (to: PostPlanDeps) => {
      await postPlan(issue.id, to);
      if (repository.mode === "implement") await deps.prepareWork?.(code);
      await pollReactions(issue.id, deps);
      // Somebody may have answered the plan's comment before Relay recorded it (R-CONF-10).
      if ((await listUnreadSeqs(deps.db, issue.id)).length > 0) await deps.jobs.setWake(issue.id, 0);
    };
    if (posting && (await isPlanNext(issue, posting))) {
      await postNow(posting);
      return NOTHING;
    }
    const attributes = { "relay.issue": issueName(issue), "relay.issue.id": issue.id, "relay.planner": planner.name };
    const outcome = await inSpan("cycle", { attributes }, async () => await runCycle(issue, parts));
    if (posting && outcome.again === null && (await isPlanDue(await getIssue(deps.db, issue.id), posting))) {
      await postNow(posting);
    }
    return outcome;
  });
}

/** What a worker runs besides the checks of a plan, and what is missing for that. */
async function runsFor(
  planId: string,
  code: Repository,
  { conventions }: RepositorySettings,
  { worker, lacksOf }: AdvanceDeps,
) {
  const { setup_commands: setup, test_commands: tests } = await conventionsOf(code, conventions);
  return { setup, tests, worker: worker ?? null, lacks: (await lacksOf?.(planId)) ?? [] };
}

/** The fast track is for small issues without a spec and without questions. */
async function mayFastTrack(issue: Issue, code: Repository, { db, isSmall }: AdvanceDeps): Promise<boolean> {
  if (issue.spec !== null || issue.state === "awaiting_proceed") return false;
  return await isSmall(issue, await listMessages(db, issue.id), code);
}

/** Trackers send no webhook for reactions, so a posted plan is polled for them. */
export async function pollReactions(
  issueId: string,
  deps: Pick<AdvanceDeps, "db" | "clock" | "confirmation" | "jobs">,
): Promise<void> {
  if (!deps.confirmation.thumbsUp) return;
  const at = await nextReactionPoll(issueId, deps);
  if (at !== null) await deps.jobs.setWake(issueId, at.getTime() - deps.clock.now().getTime(), "background");
}
