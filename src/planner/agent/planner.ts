import type { AgentModel, AgentOutcome } from "../../adapters/models/model.ts";
import type { Prompt } from "../../adapters/models/prompt.ts";
import { briefingOf, turnsOf } from "../briefing.ts";
import type { CycleContext, Planner, PlannerRun } from "../planner.ts";
import { evidence } from "./evidence.ts";
import type { Explore } from "./explore.ts";
import { exploreTool } from "./explore.ts";
import type { ReadSpec } from "./read-spec.ts";
import { readSpecTool } from "./read-spec.ts";
import type { Spending } from "./spending.ts";
import { spending } from "./spending.ts";
import { strictJudge } from "./strict-judge.ts";
import type { Submissions } from "./submit-actions.ts";
import { SUBMIT, isLastTry, submitTool } from "./submit-actions.ts";
import { unable } from "./unable.ts";

/** Bounds of one cycle. */
export interface PlannerLimits {
  /** Explorations. */
  explorations: number;
  /** US dollars after which no other exploration begins. */
  exploreUsd: number;
  /** Answers of the planning model. */
  steps: number;
  /** Tokens of its prompts together, and of its answers together; explorations have limits of their own. */
  inputTokens: number;
  outputTokens: number;
  /** US dollars for the planning model. */
  costUsd: number;
  /** Milliseconds, explorations included. */
  ms: number;
}

const DEFAULT_LIMITS: PlannerLimits = {
  explorations: 8,
  exploreUsd: 2,
  steps: 16,
  inputTokens: 1_200_000,
  outputTokens: 60_000,
  costUsd: 2,
  ms: 20 * 60_000,
};

export interface AgentPlannerParts {
  model: AgentModel;
  explore: Explore;
  readSpec: ReadSpec;
  /** Places that the code index ranks first for the issue, one per line: where a first look may begin. */
  locateHint?: (context: CycleContext) => Promise<readonly string[]>;
  /** `loadPrompt("planner")`. */
  prompt: Prompt;
  /** Of fences in the prompts: nobody can guess it, and it is the same in all cycles of an issue (R-PLAN-11). */
  boundaryOf: (issueId: string) => string;
  limits?: Partial<PlannerLimits>;
}

const REMINDER = `Nothing was carried out: only tool calls count. Call explore if a fact is missing, or ${SUBMIT} now; with an empty list of actions if there is nothing to do.`;

/** Plans with a model that looks at the code before it asks people (R-PLAN-4). See `Planner` for how it ends. */
export function agentPlanner({ model, explore, readSpec, prompt, boundaryOf, ...parts }: AgentPlannerParts): Planner {
  const limits = { ...DEFAULT_LIMITS, ...parts.limits };
  const system = prompt.fill({ explorations: String(limits.explorations) });
  return {
    name: model.name,
    plan: async (context, judge) => {
      const boundary = boundaryOf(context.issue.id);
      const seen = evidence();
      const spent = spending();
      const submissions: Submissions = { accepted: null, refused: [] };
      const hints = context.findings.length === 0 ? ((await parts.locateHint?.(context)) ?? []) : [];
      const outcome = await model.run({
        role: "planner",
        system,
        turns: turnsOf(briefingOf(context, { boundary, hints })),
        tools: [
          exploreTool(explore, {
            limit: limits.explorations,
            costUsd: limits.exploreUsd,
            evidence: seen,
            spending: spent,
            boundary,
          }),
          readSpecTool(readSpec, { issue: context.issue, boundary }),
          submitTool(
            strictJudge(judge, { context, evidence: seen, isLastTry: () => isLastTry(submissions) }),
            submissions,
          ),
        ],
        reminder: REMINDER,
        limits,
      });
      const run = runOf(outcome, { spent, submissions, promptHash: prompt.hash });
      if (submissions.accepted !== null) return { kind: "planned", batch: submissions.accepted, run };
      return { ...withoutBatch(outcome, submissions), run };
    },
  };
}

/** A model that was refused, and then gave up or went in circles, has failed for what it was refused for. */
function withoutBatch(outcome: AgentOutcome, { refused }: Submissions) {
  const last = refused.at(-1);
  const inCircles = outcome.kind === "finished" || (outcome.kind === "limit" && outcome.limit === "repeats");
  return last !== undefined && inCircles ? { kind: "refused" as const, problems: last } : unable(outcome);
}

function runOf(
  outcome: AgentOutcome,
  { spent, submissions, promptHash }: { spent: Spending; submissions: Submissions; promptHash: string },
): PlannerRun {
  return {
    model: outcome.model,
    fellBackFrom: outcome.fellBackFrom.map((one) => one.model),
    ...spent.with(outcome),
    explorations: spent.explorations(),
    refusals: submissions.refused.length,
    promptHash,
  };
}
