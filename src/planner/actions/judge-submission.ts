import type { ActionBatch, ActionProblem } from "../../domain/action.ts";
import type { BatchState } from "./batch-state.ts";
import { parseSubmission } from "./submission.ts";
import { validateBatch } from "./validate.ts";

type Judged =
  | { kind: "accepted"; batch: ActionBatch }
  /** `batch` is null for what cannot be read as one. */
  | { kind: "refused"; problems: ActionProblem[]; batch: ActionBatch | null };

/** Reads and judges what a planner hands in (R-ACT-1, R-ACT-2). Pure. */
export function judgeSubmission(submitted: unknown, state: BatchState): Judged {
  const submission = parseSubmission(submitted);
  if (submission.kind === "refused") return { ...submission, batch: null };
  const { batch } = submission;
  const problems = validateBatch(batch, state);
  return problems.length === 0 ? { kind: "accepted", batch } : { kind: "refused", problems, batch };
}
