import { staysNeutral } from "../domain/confidential.ts";
import type { Issue } from "../domain/issue.ts";
import type { OpenIndex } from "../code/index/explorer.ts";
import type { Repository } from "../code/git/repository.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { conventionsOf, type OwnConventions } from "../code/conventions/conventions.ts";
import { fixPlan } from "./fix-plan.ts";
import type { AskForSteps } from "./model/steps.ts";
import type { AskForTriage } from "./model/triage.ts";
import { triage } from "./triage/triage.ts";
import { repositoryContext } from "./repository-context.ts";
import type { MakePlan } from "./post-plan.ts";
import { parseSpec } from "../domain/spec-document/parse.ts";

interface MakePlanDeps {
  clock: Clock;
  log: Log;
  indexOf: (code: Repository) => Promise<OpenIndex>;
  /** Whether the tracker's repository has a branch of this name. */
  branchExists: (name: string) => Promise<boolean>;
  /** The repository's own settings. */
  conventions?: OwnConventions;
  /** Models of the two steps; rules replace missing and failing models. */
  models?: { triage: AskForTriage | null; steps: AskForSteps | null };
}

/** Triage and fix plan for a tracked issue, from its stored texts, its spec and the current code (R-TRI-1, R-FIX-1). */
export function planMaker(deps: MakePlanDeps): MakePlan {
  return async (issue, { code, spec }) => {
    const index = await deps.indexOf(code);
    const repository_context = await repositoryContext(issue.provider, code, index);
    const wire = wireIssue(issue);
    const agreed = spec && { path: spec.path, sha256: spec.sha256, tasks: tasksOf(spec.markdown) };
    const models = deps.models ?? { triage: null, steps: null };
    const usual = { clock: deps.clock, index, modelFailure: "rules" as const };
    const triaged = await triage(
      { issue: wire, repository_context, spec: agreed },
      { ...usual, ...(models.triage && { model: models.triage }) },
    );
    if (!triaged.answer.success) return triaged.answer;
    const planned = await fixPlan(
      {
        issue: wire,
        triage_result: triaged.answer.data,
        repository_context,
        conventions: await conventionsOf(code, deps.conventions ?? {}),
        spec: agreed,
      },
      {
        ...usual,
        language: issue.language,
        neutral: staysNeutral(issue),
        branchExists: deps.branchExists,
        ...(models.steps && { model: models.steps }),
      },
    );
    for (const warning of [...triaged.warnings, ...planned.warnings]) {
      deps.log.warn({ issue_id: issue.id, warning }, "plan made with a warning");
    }
    if (!planned.answer.success) return planned.answer;
    const byRules = models.steps === null && models.triage === null;
    return { success: true, data: { triage: triaged.answer.data, plan: planned.answer.data, byRules } };
  };
}

/** The issue in the form of the triage and plan contracts. */
export function wireIssue(issue: Issue) {
  return {
    number: Number(issue.externalIssueId),
    title: issue.title,
    body: issue.body,
    author: { login: issue.reporter },
    labels: issue.labels,
    created_at: issue.openedAt.toISOString(),
  };
}

function tasksOf(markdown: string) {
  return parseSpec(markdown)
    .tasks.filter(({ task }) => task !== "")
    .map(({ number, task, touchPoints, doneWhen, blockedBy }) => ({
      number,
      title: task,
      touchPoints,
      doneWhen,
      blockedBy,
    }));
}
