import { z } from "zod";
import type { ActionBatch, ActionProblem } from "../../domain/action.ts";
import type { AgentTool, ToolContext, ToolResult } from "../../adapters/models/tool.ts";
import type { Judge } from "../planner.ts";
import { CLOSE_REASONS, RESPONDENTS, SEVERITIES } from "../../domain/gap.ts";
import { LEARNING_TYPES } from "../../domain/learning.ts";
import { COMPLEXITIES } from "../../domain/spec.ts";

/* The JSON schema of actions as shown to a model (R-ACT-1). For display only: the parser is more lenient. */

const gapNumber = z.number().describe("The number of the question");

const finding = z.object({
  synthesis: z.string().describe("One or two sentences: a fact about the code that bears on this issue"),
  sources: z.array(z.object({ location: z.string().describe("path:start-end, as an exploration gave it") })).min(1),
});

const gap = z.object({
  question: z.string().describe("One question, answerable in a sentence, in the language of the issue"),
  evidence: z.string().describe("What you saw that makes it open: a place in the code, or the message that conflicts"),
  severity: z.enum(SEVERITIES).describe("blocking: without an answer any spec would be a guess"),
  respondent: z
    .enum(RESPONDENTS)
    .describe("reporter: what is wanted or seen; assignee, or else a maintainer: how it is to be done here"),
  proposed_default: z.string().describe("What you will assume without an answer, ready to be agreed to with a yes"),
  pending: z.boolean().optional().describe("true: kept for later, not asked now"),
});

const closing = z.object({
  gap_id: gapNumber,
  reason: z.enum(CLOSE_REASONS),
  note: z.string().describe("answered: the answer, and who gave it; inferred: the assumption, and why it is safe"),
  message: z.int().positive().optional().describe("answered: number of the message that answers it"),
});

const actions = {
  post_comment: z.object({
    content: z.string().describe("Markdown, in the language of the issue"),
    reply_to_id: z.string().optional().describe("#12: answers that message in its thread"),
  }),
  update_findings: z.object({
    add: z.array(finding).optional(),
    remove: z.array(z.string()).optional().describe("Ids of findings that turned out wrong or were superseded"),
  }),
  update_gaps: z.object({
    add: z.array(gap).optional(),
    close: z.array(closing).optional(),
    ask: z.array(gapNumber).optional().describe("Questions kept for later that are asked now"),
  }),
  update_learnings: z.object({
    propose: z.array(
      z.object({
        type: z.enum(LEARNING_TYPES),
        content: z.string().describe("One rule that outlives this issue"),
        message: z.int().positive().optional().describe("Number of the message that states it"),
      }),
    ),
  }),
  ready_for_spec_generation: z.object({
    context_summary: z.string().describe("What is to be built and what was decided, for the writer of the spec"),
    proceed_signal: z.string().describe("The exact words of the go-ahead, copied from the message"),
    learnings_applied: z.array(z.string()).optional(),
    complexity_hint: z.enum(COMPLEXITIES).optional().describe("L0 a fix in one place … L4 a change of architecture"),
  }),
  update_spec: z.object({
    content_markdown: z.string().describe("The whole spec"),
    reason: z.string().describe("What changed, and who asked for it"),
    mode: z.literal("overwrite"),
  }),
  set_spec_status: z.object({ status: z.enum(["approved", "rejected"]) }),
};

export const submissionSchema = z.object({
  reasoning: z.string().describe("Two or three sentences for the team's log: why these actions, and why no others"),
  actions: z
    .array(z.union(Object.entries(actions).map(([type, data]) => z.object({ type: z.literal(type), data }))))
    .describe("Carried out in this order; an empty list means: wait"),
});

/** Refused submissions that a model may correct (R-ACT-2). */
const CORRECTION_ROUNDS = 2;
/** Problems reported at once: the first ones are enough to continue. */
const PROBLEMS_SHOWN = 20;

export const SUBMIT = "submit_actions";

/** The submissions of one cycle and their outcome. */
export interface Submissions {
  accepted: ActionBatch | null;
  /** The problems of each refused submission. */
  refused: ActionProblem[][];
  /** The latest refused batch that all rules accept without its unverified places (R-PLAN-18). */
  sound: ActionBatch | null;
}

/** Whether the next refusal is final. */
export function isLastTry({ refused }: Submissions): boolean {
  return refused.length >= CORRECTION_ROUNDS;
}

const { $schema: _, ...schema } = z.toJSONSchema(submissionSchema, { target: "draft-7", io: "input" });

/**
 * The tool `submit_actions`, which ends the cycle when the batch is accepted. Problems go back with hints; after two
 * rounds of corrections the cycle is over (R-ACT-2). Only one submission counts: any after an accepted one is ignored,
 * as is one written before the explorations of the same answer have returned.
 */
export function submitTool(judge: Judge, submissions: Submissions): AgentTool {
  return {
    name: SUBMIT,
    description:
      "Hands in the actions of this cycle and ends it. An empty list of actions means that there is nothing to do " +
      "until somebody writes. Call it once, alone.",
    schema,
    inTurn: true,
    // Parsed by the judge, which accepts the spellings that models use and explains errors in the domain's terms.
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
    const left = CORRECTION_ROUNDS + 1 - submissions.refused.length;
    return { output: hints(judged.problems, left), isError: true, ends: left <= 0 };
  }
}

/** Some models send a nested list as JSON text. */
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
    .slice(0, PROBLEMS_SHOWN)
    .map(({ index, rule, detail }) => `- actions[${index}] ${rule}: ${detail}`);
  const more = problems.length > lines.length ? [`- and ${problems.length - lines.length} more`] : [];
  return [
    "Refused; nothing was carried out:",
    ...lines,
    ...more,
    left > 0 ? `Mend these and submit the whole batch again (${left} left).` : "That was the last try.",
  ].join("\n");
}
