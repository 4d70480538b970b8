import { z } from "zod";
import { CLOSE_REASONS, RESPONDENTS, SEVERITIES, TOPICS } from "./gap.ts";
import { findingSourceSchema } from "./finding.ts";
import { LEARNING_TYPES } from "./learning.ts";
import { COMPLEXITIES } from "./spec.ts";
import { isRecord } from "../lib/text.ts";

const gapId = z.union([z.string().min(1), z.number().int().positive().transform(String)]);

/** The actions that the planner may request (R-ACT-1). Fields that are not listed are dropped. */
export const actionSchema = z.preprocess(
  (value) =>
    isRecord(value) && value["type"] === "ready_for_plan" ? { ...value, type: "ready_for_spec_generation" } : value,
  z.discriminatedUnion("type", [
    z.object({
      type: z.literal("post_comment"),
      data: z.object({ content: z.string(), reply_to_id: z.string().optional() }),
    }),
    z.object({
      type: z.literal("update_findings"),
      data: z.object({
        add: z.array(z.object({ synthesis: z.string(), sources: z.array(findingSourceSchema) })).default([]),
        remove: z.array(z.string()).default([]),
      }),
    }),
    z.object({
      type: z.literal("update_gaps"),
      data: z.object({
        add: z
          .array(
            z.object({
              question: z.string(),
              evidence: z.string().optional(),
              severity: z.enum(SEVERITIES),
              respondent: z.enum(RESPONDENTS),
              pending: z.boolean().default(false),
              topic: z.enum(TOPICS).optional(),
              proposed_default: z.string().optional(),
            }),
          )
          .default([]),
        close: z
          .array(
            z.object({
              gap_id: gapId,
              reason: z.enum(CLOSE_REASONS),
              note: z.string().optional(),
              /** Seq of the message that answers it. */
              message: z.int().positive().optional().catch(undefined),
            }),
          )
          .default([]),
        ask: z.array(gapId).default([]),
      }),
    }),
    z.object({
      type: z.literal("update_learnings"),
      data: z.object({
        propose: z.array(
          z.object({
            type: z.enum(LEARNING_TYPES),
            content: z.string(),
            /** Seq of the message that states it. */
            message: z.int().positive().optional(),
          }),
        ),
      }),
    }),
    z.object({
      type: z.literal("ready_for_spec_generation"),
      data: z.object({
        context_summary: z.string(),
        proceed_signal: z.string(),
        learnings_applied: z.array(z.string()).default([]),
        complexity_hint: z.enum(COMPLEXITIES).optional(),
      }),
    }),
    z.object({
      type: z.literal("update_spec"),
      data: z.object({
        content_markdown: z.string(),
        reason: z.string().optional(),
        mode: z.literal("overwrite"),
      }),
    }),
    z.object({
      type: z.literal("set_spec_status"),
      data: z.object({ status: z.enum(["approved", "rejected"]) }),
    }),
  ]),
);

/**
 * Replaces a person's words: Relay does not ask for a go-ahead, as the approval of the plan approves the spec too
 * (R-LIFE-7).
 */
export const QUICK_WAY = "relay:quick-way";
/** Replaces a person's words: somebody edited the text after its plan was made. */
export const EDITED_TEXT = "relay:edited-text";

export type Action = z.infer<typeof actionSchema>;
export type ActionType = Action["type"];
export type ActionOf<T extends ActionType> = Extract<Action, { type: T }>;

/** The result of a cycle: the actions in order, and why. */
export interface ActionBatch {
  actions: Action[];
  reasoning: string;
}

/** A fault of one action of a batch, and how to fix it (R-ACT-2). */
export interface ActionProblem {
  /** Position in the batch, from 0. */
  index: number;
  rule: string;
  detail: string;
}
