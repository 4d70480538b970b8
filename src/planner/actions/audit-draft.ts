import type { ActionWrites, AuditDraft, ExecutorDeps } from "./ports.ts";

/** A line of the record about what an action did, with the planner's reasoning as the why (R-ACT-7). */
export function auditDraft(
  { issue, reasoning }: Pick<ExecutorDeps<ActionWrites>, "issue" | "reasoning">,
  what: string,
  { before = null, after = null }: { before?: unknown; after?: unknown },
): AuditDraft {
  return { issueId: issue.id, actor: "relay", what, why: reasoning === "" ? null : reasoning, before, after };
}
