import { z } from "zod";
import { type KeptLearning, LEARNING_STATUSES, LEARNING_TYPES } from "../../../domain/learning.ts";
import { id, time, timeOf } from "./basics.ts";

/** As `relay learnings list --json` prints it. */
export const learningSchema = z
  .object({
    id,
    repository: z.string().nullable().meta({ description: "Null for all repositories." }),
    type: z.enum(LEARNING_TYPES),
    content: z.string(),
    status: z.enum(LEARNING_STATUSES),
    proposed_by: z.string().nullable(),
    source: z.object({ issue_id: z.string().nullable(), message_id: z.string().nullable() }),
    approved_by: z.string().nullable(),
    created_at: time,
  })
  .meta({ id: "Learning", description: "What people taught Relay; prompts hold it once it is approved." });

export type Learning = z.infer<typeof learningSchema>;

export function shownLearning(learning: KeptLearning): Learning {
  return {
    id: learning.id,
    repository: learning.repository,
    type: learning.type,
    content: learning.content,
    status: learning.status,
    proposed_by: learning.proposedBy,
    source: { issue_id: learning.sourceIssueId, message_id: learning.sourceMessageId },
    approved_by: learning.approvedBy,
    created_at: timeOf(learning.createdAt),
  };
}
