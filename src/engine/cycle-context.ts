import { storedSpec } from "../adapters/spec-stores/stored-spec.ts";
import type { Issue } from "../domain/issue.ts";
import type { IssueState } from "../domain/lifecycle.ts";
import { type BatchState, loadBatchState } from "../planner/actions/batch-state.ts";
import { type Approval, buildContext, loadFacts } from "../planner/context.ts";
import type { CycleContext, Planner } from "../planner/planner.ts";
import { specStub } from "../specification/read.ts";
import { lastFailures } from "../storage/cycles.ts";
import { latestPlan } from "../storage/plans.ts";
import { latestSpec, statusOf } from "../storage/specs.ts";
import { returnState } from "./state-machine.ts";
import type { SpecDeps } from "./write-spec.ts";

export interface CycleDeps extends SpecDeps {
  planner: Planner;
  sleep: (ms: number) => Promise<void>;
  /** Logins that may approve a plan besides those with write access. */
  confirmation: { confirmers: readonly string[] };
  /** Whether the spec may be written without a go-ahead of its own. */
  quickWay?: boolean;
}

/** `until`: the number of the first of Relay's comments that were lost in a restore; null without one. */
export type Until = CycleDeps & { until: number | null };

/** The state of the issue before this cycle. */
export function waitingState(issue: Issue): IssueState {
  const atWork = issue.state === "planning" || issue.state === "specifying";
  return atWork ? returnState(issue.state, issue.resumesAs) : issue.state;
}

/** What a cycle knows, read from storage and the tracker now. */
export async function contextOf(issue: Issue, before: IssueState, deps: Until): Promise<CycleContext> {
  const facts = await loadFacts(deps.db, issue, {
    tracker: deps.tracker,
    code: deps.code,
    approval: await approvalOf(issue, before, deps),
    until: deps.until,
    isOver: before === "done",
    specStub: await stubOf(issue, deps),
    specUrl: issue.spec && (await deps.specStore.address(issue.spec)),
    failures: await lastFailures(deps.db, issue.id),
    proceedAsked: before === "awaiting_proceed",
    quickWay: deps.quickWay === true && before !== "awaiting_proceed",
  });
  return buildContext(facts);
}

/** What decides who may approve the spec's plan; null without a plan to come, or while its approved work goes on. */
async function approvalOf(issue: Issue, before: IssueState, { db, ...deps }: CycleDeps): Promise<Approval | null> {
  if (deps.plansNext !== true || issue.spec === null) return null;
  const latest = await latestPlan(db, issue.id);
  if ((latest?.status === "confirmed") !== (before === "done")) return null;
  return { mode: deps.repository.mode, risk: latest?.triage.risk ?? "LOW", confirmers: deps.confirmation.confirmers };
}

/** What the validation of a batch compares it with. */
export async function batchState(issue: Issue, context: CycleContext, deps: Until): Promise<BatchState> {
  return await loadBatchState(
    deps.db,
    issue,
    {
      participants: context.participants.map((person) => person.login),
      mayProceed: decidersOf(context),
      wishes: context.wishes,
      bot: deps.tracker.bot,
      newMessages: context.newMessages,
      proceedAsked: context.proceedAsked,
      quickWay: context.quickWay,
      textEdited: context.textEdited && context.planned,
      until: deps.until,
    },
    deps.clock,
  );
}

/** Logins of the people who decide, in lower case, by their permissions at the beginning of the cycle. */
export function decidersOf({ participants }: CycleContext): Set<string> {
  return new Set(participants.filter((one) => one.mayProceed).map((one) => one.login.toLowerCase()));
}

/** The planner's stub of the current spec (R-PLAN-3); null without one. */
async function stubOf(issue: Issue, { db, specStore }: Pick<SpecDeps, "db" | "specStore">): Promise<string | null> {
  const spec = await storedSpec(issue.spec, specStore);
  const latest = await latestSpec(db, issue.id);
  const standing = { status: latest === null ? "draft" : statusOf(latest), stale: latest?.staleCitations ?? [] };
  return spec && specStub(spec.content, spec.ref, standing);
}
