import { staysNeutral } from "../domain/confidential.ts";
import type { Issue } from "../domain/issue.ts";
import type { OpenIndex } from "../code/index/explorer.ts";
import type { Repository } from "../code/git/repository.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { readLocation } from "../code/agent/source-lookup.ts";
import type { VerifiedPlace } from "../domain/exploration.ts";
import { conventionsOf, type OwnConventions } from "../code/conventions/conventions.ts";
import { fixPlan } from "./fix-plan.ts";
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
  /** Verified places of the issue at a commit, the most certain first. */
  placesOf: (issueId: string, code: Repository) => Promise<readonly Pick<VerifiedPlace, "location">[]>;
}

/**
 * Triage and fix plan for a tracked issue, by rules, from its stored texts, the tasks of its spec and the places that
 * were verified in the current code (R-TRI-1, R-FIX-1, R-FIX-9): whatever a model knew is in the spec.
 */
export function planMaker(deps: MakePlanDeps): MakePlan {
  return async (issue, { code, spec, thread }) => {
    const index = await deps.indexOf(code);
    const repository_context = await repositoryContext(issue.provider, code, index);
    const said = thread.filter(({ role }) => role !== "self");
    const wire = { ...wireIssue(issue), comments: said.map(({ content: body }) => ({ body })) };
    const document = spec && parseSpec(spec.markdown);
    const agreed = spec && {
      path: spec.path,
      title: document?.title,
      nonGoals: document?.nonGoals.map(({ text }) => text),
      sha256: spec.sha256,
      tasks: tasksOf(spec.markdown),
      places: (await deps.placesOf(issue.id, code)).flatMap(({ location }) => readLocation(location) ?? []),
    };
    const triaged = await triage({ issue: wire, repository_context, spec: agreed }, { clock: deps.clock, index });
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
        clock: deps.clock,
        index,
        language: issue.language,
        neutral: staysNeutral(issue),
        branchExists: deps.branchExists,
      },
    );
    for (const warning of [...triaged.warnings, ...planned.warnings]) {
      deps.log.warn({ issue_id: issue.id, warning }, "plan made with a warning");
    }
    if (!planned.answer.success) return planned.answer;
    return { success: true, data: { triage: triaged.answer.data, plan: planned.answer.data } };
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
    .map(({ number, task, touchPoints, changesNothing, doneWhen, blockedBy }) => ({
      number,
      title: task,
      touchPoints,
      changesNothing,
      doneWhen,
      blockedBy,
    }));
}
