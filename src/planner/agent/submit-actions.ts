import { z } from "zod";
import type { ActionBatch, ActionProblem } from "../../domain/action.ts";
import type { AgentTool, ToolContext, ToolResult } from "../../adapters/models/tool.ts";
import type { Judge } from "../planner.ts";
import { submissionSchema } from "./submission-schema.ts";

/** Refused submissions that a model may mend (R-ACT-2). */
const MENDING_ROUNDS = 2;
/** Problems told at once: the first ones are enough to go on with. */
const PROBLEMS_TOLD = 20;

export const SUBMIT = "submit_actions";

/** What became of the submissions of one cycle. */
export interface Submissions {
  accepted: ActionBatch | null;
  /** The problems of each refused one. */
  refused: ActionProblem[][];
}

/** Whether what comes next is refused for good if it is refused. */
export function isLastTry({ refused }: Submissions): boolean {
  return refused.length >= MENDING_ROUNDS;
}

const { $schema: _, ...schema } = z.toJSONSchema(submissionSchema, { target: "draft-7", io: "input" });

/**
 * The tool `submit_actions`, which ends the cycle when the batch is accepted. What is wrong with it goes back with
 * hints; after two rounds of mending the cycle is over (R-ACT-2). One submission counts: what comes after an accepted
 * one is not taken, nor is one that was written before the explorations of its own answer had come back.
 */
export function submitTool(judge: Judge, submissions: Submissions): AgentTool {
  return {
    name: SUBMIT,
    description:
      "Hands in the actions of this cycle and ends it. An empty list of actions means that there is nothing to do " +
      "until somebody writes. Call it once, alone.",
    schema,
    inTurn: true,
    // Read by the judge, which takes the spellings that models use and says what is wrong in words of the domain.
    run: async (input, context) => await Promise.resolve({ kind: "ran", result: take(input, context) }),
  };

  function take(input: unknown, { calledInStep }: ToolContext): ToolResult {
    if (submissions.accepted !== null) {
      return { output: "Not taken: an earlier submission was accepted, and the cycle is over.", isError: true };
    }
    if (calledInStep.some((tool) => tool !== SUBMIT)) {
      return { output: "Not taken: read what your other calls brought, then submit.", isError: true };
    }
    const judged = judge(unpacked(input));
    if (judged.kind === "accepted") {
      submissions.accepted = judged.batch;
      return { output: "Accepted.", ends: true };
    }
    submissions.refused.push(judged.problems);
    const left = MENDING_ROUNDS + 1 - submissions.refused.length;
    return { output: hints(judged.problems, left), isError: true, ends: left <= 0 };
  }
}

/** Some models write a list that they nest in an object as the JSON text of it. */
function unpacked(input: unknown): unknown {
  const packed = z.looseObject({ actions: z.string() }).safeParse(input).data;
  const listed = packed === undefined ? undefined : jsonList.safeParse(packed.actions).data;
  return packed === undefined || listed === undefined ? input : { ...packed, actions: listed };
}

const jsonList = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue("not JSON");
      return z.NEVER;
    }
  })
  .pipe(z.array(z.unknown()));

function hints(problems: readonly ActionProblem[], left: number): string {
  const lines = problems
    .slice(0, PROBLEMS_TOLD)
    .map(({ index, rule, detail }) => `- actions[${index}] ${rule}: ${detail}`);
  const more = problems.length > lines.length ? [`- and ${problems.length - lines.length} more`] : [];
  return [
    "Refused; nothing was carried out:",
    ...lines,
    ...more,
    left > 0 ? `Mend these and submit the whole batch again (${left} left).` : "That was the last try.",
  ].join("\n");
}
