export const LEARNING_TYPES = ["domain_learnings", "code_learnings"] as const;
export type LearningType = (typeof LEARNING_TYPES)[number];

/** `proposed`: taken from a message. `approved`: a person put it in force, so that prompts hold it (R-SAFE-8). */
export const LEARNING_STATUSES = ["proposed", "approved"] as const;
export type LearningStatus = (typeof LEARNING_STATUSES)[number];

/** The newest learnings that are read for one issue. */
export const LEARNINGS_READ = 200;

/** Characters of a learning: every later prompt holds it. */
export const LONGEST_LEARNING = 2_000;

/** Reusable knowledge of a team, taken from messages of people with write access only (R-PLAN-9). */
export interface Learning {
  id: string;
  workspaceId: string;
  type: LearningType;
  content: string;
  createdAt: Date;
}

/** A learning with where it is from and who put it in force. */
export interface KeptLearning extends Learning {
  /** The repository that it belongs to, and its id; null for all of the workspace. */
  repository: string | null;
  repositoryId: string | null;
  status: LearningStatus;
  /** The author of the message that it was taken from; null if unknown. */
  proposedBy: string | null;
  /** The tracker's id of that message. */
  sourceMessageId: string | null;
  sourceIssueId: string | null;
  approvedBy: string | null;
}
