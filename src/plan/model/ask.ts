import type { z } from "zod";
import { boundaryFrom } from "../../adapters/models/fence.ts";
import type { AgentModel, AgentOutcome, ModelRole } from "../../adapters/models/model.ts";
import { agentTool } from "../../adapters/models/tool.ts";
import { failure, type Failure } from "../answer.ts";

export interface AskParts {
  model: AgentModel;
  /** In [0, 1), from a cryptographic source. */
  random: () => number;
  /** US dollars that one request may cost; default 1. */
  costUsd?: number;
}

/** One answer and one retry (R-FIX-2). */
const LIMITS = { steps: 2, ms: 50_000, costUsd: 1, answerCharacters: 60_000, toolCharacters: 4_000 };

/** Asks a model for a value of a schema. Violations of the schema or of `check` go back to it once (R-FIX-8). */
export async function ask<Schema extends z.ZodType, Taken>(
  { model, random, costUsd = LIMITS.costUsd }: AskParts,
  request: {
    role: ModelRole;
    system: string;
    material: (boundary: string) => string;
    tool: string;
    schema: Schema;
    check: (given: z.output<Schema>) => { kind: "taken"; value: Taken } | { kind: "wrong"; problems: string[] };
  },
): Promise<{ kind: "taken"; value: Taken } | { kind: "failed"; failure: Failure }> {
  const taken: { value: Taken }[] = [];
  const problems: string[] = [];
  const outcome = await model.run({
    role: request.role,
    system: request.system,
    turns: [{ role: "user", content: request.material(boundaryFrom(random)) }],
    tools: [
      agentTool({
        name: request.tool,
        description: "Hands in the result and ends the work.",
        input: request.schema,
        inTurn: true,
        execute: async (given) => {
          const checked = request.check(given);
          if (checked.kind === "taken") {
            taken.push({ value: checked.value });
            return { output: "Taken.", ends: true };
          }
          problems.push(...checked.problems);
          return { output: `Not taken. Mend this and hand in again:\n${checked.problems.join("\n")}`, isError: true };
        },
      }),
    ],
    toolChoice: { tool: request.tool },
    reminder: `Hand in the result by calling \`${request.tool}\`.`,
    limits: { ...LIMITS, costUsd: Math.min(costUsd, LIMITS.costUsd) },
  });
  const [first] = taken;
  return first === undefined ? { kind: "failed", failure: failureOf(outcome, problems) } : { kind: "taken", ...first };
}

const MAX_PROBLEMS = 6;

/** Distinguishes a model with unusable answers from one that does not answer. */
function failureOf(outcome: AgentOutcome, problems: readonly string[]): Failure {
  const details = {
    model: outcome.model,
    ...(problems.length === 0 ? {} : { problems: problems.slice(0, MAX_PROBLEMS) }),
  };
  const useless = () =>
    failure(
      "INVALID_LLM_OUTPUT",
      `${outcome.model} handed in nothing that can be used, also when asked again.`,
      details,
    );
  switch (outcome.kind) {
    case "finished":
      return useless();
    case "limit":
      return outcome.limit === "time" || outcome.limit === "cost" || outcome.limit === "input_tokens"
        ? failure(
            "PLANNING_FAILED",
            `${outcome.model} reached its limit of ${outcome.limit} without an answer.${outcome.limit === "time" ? " models.timeouts.run_factor allows more." : ""}`,
            details,
            true,
          )
        : useless();
    case "failed":
      return outcome.failure.kind === "invalid_answer"
        ? useless()
        : failure("PLANNING_FAILED", outcome.failure.message, details, outcome.failure.retryable);
    case "refused":
      return failure("PLANNING_FAILED", `${outcome.model} declined to answer.`, details);
    case "aborted":
      return failure("PLANNING_FAILED", `Asking ${outcome.model} was broken off.`, details, true);
    default:
      return outcome satisfies never;
  }
}
