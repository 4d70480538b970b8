import type { LimitKind } from "../../adapters/models/limits.ts";
import type { AgentModel, AgentOutcome } from "../../adapters/models/model.ts";
import type { Prompt } from "../../adapters/models/prompt.ts";
import { briefingOf, turnsOf } from "../briefing.ts";
import type { LookingTools } from "../../code/agent/looking-tools.ts";
import type { CycleContext, Judge, Judged, Planner, PlannerRun } from "../planner.ts";
import { type Evidence, createEvidence } from "./evidence.ts";
import { type Explore, exploreTool } from "./explore.ts";
import { type Spending, createSpending } from "./spending.ts";
import { type Submissions, SUBMIT, isLastTry, submitTool } from "./submit-actions.ts";
import { z } from "zod";
import type { Issue } from "../../domain/issue.ts";
import { fence } from "../../adapters/models/fence.ts";
import { type AgentTool, agentTool } from "../../adapters/models/tool.ts";
import type { ActionBatch } from "../../domain/action.ts";
import { houseProblems, withEvidence } from "./house-rules.ts";
import { RelayError } from "../../lib/errors.ts";
import { errorOfFailure } from "../../adapters/models/failure.ts";

const MAX_CHARACTERS = 30_000;

export interface SpecReading {
  mode: "summary" | "full";
  /** Part of a heading. */
  section?: string;
  maxChars: number;
}

/** Reads the spec of this issue and of no other (R-PLAN-5, R-SAFE-2); the answer says so if there is none. */
type ReadSpec = (issue: Issue, reading: SpecReading) => Promise<string>;

/** The tool `read_spec`; Relay chooses the issue, never the model. */
function readSpecTool(read: ReadSpec, { issue, boundary }: { issue: Issue; boundary: string }): AgentTool {
  return agentTool({
    name: "read_spec",
    description:
      "Reads the current spec of this issue: `summary` gives contents and an excerpt, `section` one section by its " +
      "heading, `full` the text. Prefer the smallest that answers your question.",
    input: z.object({
      mode: z.enum(["summary", "full"]).default("summary"),
      section: z.string().max(200).nullish().describe("A heading of the contents, or a part of it"),
      max_chars: z.number().int().min(200).max(MAX_CHARACTERS).default(MAX_CHARACTERS),
    }),
    execute: async ({ mode, section, max_chars: maxChars }) => {
      const wanted = section === undefined || section === null || section.trim() === "" ? {} : { section };
      return fence("spec", await read(issue, { mode, maxChars, ...wanted }), boundary, { tags: false });
    },
  });
}

/** Limits of one cycle. */
export interface PlannerLimits {
  /** Explorations. */
  explorations: number;
  /** US dollars after which no further exploration starts. */
  exploreUsd: number;
  /** Answers of the planning model. */
  steps: number;
  /** Tokens of all its prompts, and of all its answers; explorations have their own limits. */
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
  /** Short looks at the code, without an exploration (R-PLAN-14). */
  look?: LookingTools;
  /** Places that the code index ranks highest for the issue, one per line: starting points for exploration. */
  locateHint?: (context: CycleContext) => Promise<readonly string[]>;
  /** `loadPrompt("planner")`. */
  prompt: Prompt;
  /** Boundary of the fences in the prompts: unguessable, and the same in all cycles of an issue (R-PLAN-11). */
  boundaryOf: (issueId: string) => string;
  limits?: Partial<PlannerLimits>;
}

const REMINDER = `Nothing was carried out: only tool calls count. Call explore if a fact is missing, or ${SUBMIT} now; with an empty list of actions if there is nothing to do.`;

/** Plans with a model that explores the code before it asks people (R-PLAN-4). See `Planner` for its outcomes. */
export function agentPlanner({ model, explore, readSpec, prompt, boundaryOf, ...parts }: AgentPlannerParts): Planner {
  const limits = { ...DEFAULT_LIMITS, ...parts.limits };
  const system = prompt.fill({ explorations: String(limits.explorations) });
  return {
    name: model.name,
    plan: async (context, judge) => {
      const boundary = boundaryOf(context.issue.id);
      const seen = createEvidence();
      for (const { places } of context.explorations) seen.add(places);
      const spent = createSpending();
      const submissions: Submissions = { accepted: null, refused: [], sound: null };
      const hints = context.findings.length === 0 ? ((await parts.locateHint?.(context)) ?? []) : [];
      const outcome = await model.run({
        role: "planner",
        system,
        turns: turnsOf(briefingOf(context, { boundary, hints })),
        tools: [
          exploreTool(explore, {
            issueId: context.issue.id,
            limit: limits.explorations,
            costUsd: limits.exploreUsd,
            evidence: seen,
            spending: spent,
            boundary,
          }),
          ...(parts.look?.({ boundary, shown: (place) => seen.add([place]) }) ?? []),
          readSpecTool(readSpec, { issue: context.issue, boundary }),
          submitTool(strictJudge(judge, { context, evidence: seen, submissions }), submissions),
        ],
        endsBy: SUBMIT,
        reminder: REMINDER,
        limits,
      });
      const run = runOf(outcome, { spent, submissions, promptHash: prompt.hash });
      // If a model stops or loops after a refusal, what was right in its batch is kept.
      const isOver = outcome.kind === "finished" || outcome.kind === "limit";
      const batch = submissions.accepted ?? (isOver ? submissions.sound : null);
      if (batch !== null) return { kind: "planned", batch, run };
      return { ...withoutBatch(outcome, submissions), run };
    },
  };
}

/** If the model stopped or looped after a refusal, the refusal is the reason for the failure. */
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

/**
 * Judges a model's submission by the rules of actions and the house rules together, as there are only two rounds of
 * corrections. A batch that is right without its unverified places is kept; on the last attempt it is accepted
 * (R-PLAN-18).
 */
function strictJudge(
  judge: Judge,
  given: { context: CycleContext; evidence: Evidence; submissions: Submissions },
): Judge {
  return (submitted) => {
    const judged = byAllRules(judge, submitted, given);
    if (judged.kind === "accepted" || judged.batch === null) return judged;
    const { batch, dropped } = withEvidence(judged.batch, given.evidence);
    if (dropped === 0) return judged;
    const reasoning = `${batch.reasoning} (left out, as nothing verified it: ${dropped} cited places or findings)`;
    const again = byAllRules(judge, { ...batch, reasoning }, given);
    if (again.kind === "refused") return judged;
    if (isLastTry(given.submissions)) return again;
    given.submissions.sound = again.batch;
    return judged;
  };
}

function byAllRules(
  judge: Judge,
  submitted: unknown,
  { context, evidence }: { context: CycleContext; evidence: Evidence },
): Judged {
  const judged = judge(submitted);
  if (judged.batch === null) return judged;
  const broken = judged.kind === "refused" ? judged.problems : [];
  const problems = [...broken, ...houseProblems(judged.batch, { context, evidence })];
  if (problems.length > 0) return refusedFor(problems, judged.batch);
  return { kind: "accepted", batch: withEvidence(judged.batch, evidence).batch };
}

function refusedFor(problems: Extract<Judged, { kind: "refused" }>["problems"], batch: ActionBatch): Judged {
  return { kind: "refused", problems: problems.toSorted((a, b) => a.index - b.index), batch };
}

/** The settings that allow more. */
const MORE: Partial<Record<LimitKind, string>> = {
  time: "use a faster model, or raise models.timeouts.run_factor",
  steps: "use a model that is better at calling tools, or raise models.timeouts.steps",
  cost: "use a cheaper model, or raise the budget (budgets.issue_usd)",
};

/** Why a run produced no actions: a word or two for the next cycle, and an error for people. */
function unable(outcome: AgentOutcome): { kind: "unable"; why: string; error: RelayError } {
  const { model } = outcome;
  switch (outcome.kind) {
    case "failed":
      return { kind: "unable", why: outcome.failure.kind, error: errorOfFailure(outcome.failure) };
    case "limit": {
      const limit = outcome.limit.replaceAll("_", " ");
      const message = `${model} reached the limit of ${limit} of a planning cycle before it submitted anything; ${MORE[outcome.limit] ?? "use a model that is better at calling tools"}`;
      return {
        kind: "unable",
        why: `limit of ${limit}`,
        error: new RelayError(outcome.limit === "time" ? "timeout" : "too_large", message),
      };
    }
    case "refused":
      return {
        kind: "unable",
        why: "declined",
        error: new RelayError("forbidden", `${model} declined to plan for this issue; use another model for it`),
      };
    case "aborted":
      return {
        kind: "unable",
        why: "aborted",
        error: new RelayError("unavailable", `planning with ${model} was stopped; it is taken up again later`),
      };
    case "finished":
      return {
        kind: "unable",
        why: "no submission",
        error: new RelayError(
          "invalid",
          `${model} ended without submitting actions, also after a reminder; use a model that is better at calling tools`,
        ),
      };
    default:
      return outcome satisfies never;
  }
}
