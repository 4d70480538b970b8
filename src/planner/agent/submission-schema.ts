import { z } from "zod";
import { CLOSE_REASONS, RESPONDENTS, SEVERITIES } from "../../domain/gap.ts";
import { LEARNING_TYPES } from "../../domain/learning.ts";
import { COMPLEXITIES } from "../../domain/spec.ts";

/* What a model is told of the actions (R-ACT-1). It is for showing only: what comes in is read more generously. */

const gapNumber = z.number().describe("The number of the question");

const finding = z.object({
  synthesis: z.string().describe("One or two sentences: a fact about the code that bears on this issue"),
  sources: z
    .array(z.object({ location: z.string().describe("path:start-end, as explore gave it in this cycle") }))
    .min(1),
});

const gap = z.object({
  question: z.string().describe("One question, answerable in a sentence, in the language of the issue"),
  evidence: z.string().describe("What you saw that makes it open: a place in the code, or the message that conflicts"),
  severity: z.enum(SEVERITIES).describe("blocking: without an answer any spec would be a guess"),
  respondent: z.enum(RESPONDENTS).describe("reporter: what is wanted or seen; assignee: how it is to be done here"),
  proposed_default: z.string().describe("What you will assume without an answer, ready to be agreed to with a yes"),
  pending: z.boolean().optional().describe("true: kept for later, not asked now"),
});

const closing = z.object({
  gap_id: gapNumber,
  reason: z.enum(CLOSE_REASONS),
  note: z.string().describe("answered: the answer, and who gave it; inferred: the assumption, and why it is safe"),
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
      z.object({ type: z.enum(LEARNING_TYPES), content: z.string().describe("One rule that outlives this issue") }),
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
