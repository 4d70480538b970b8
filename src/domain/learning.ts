export const LEARNING_TYPES = ["domain_learnings", "code_learnings"] as const;
export type LearningType = (typeof LEARNING_TYPES)[number];

/** Reusable knowledge of a team, taken from people's messages only (R-PLAN-9). */
export interface Learning {
  id: string;
  workspaceId: string;
  type: LearningType;
  content: string;
  createdAt: Date;
}
