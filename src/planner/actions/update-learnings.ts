import type { ActionOf } from "../../domain/action.ts";
import { keptText } from "../../domain/text/clean-text.ts";
import { auditDraft } from "./audit-draft.ts";
import type { ActionWrites, Apply, AuditDraft, ExecutorDeps } from "./ports.ts";

/** Adds what the team does not know yet (R-PLAN-9); what it knows is passed over, and not recorded again. */
export function applyLearnings(
  { propose }: ActionOf<"update_learnings">["data"],
  deps: Pick<ExecutorDeps<ActionWrites>, "issue" | "reasoning">,
): Apply<ActionWrites> {
  return async (tx) => {
    const audit: AuditDraft[] = [];
    for (const { type, content } of propose) {
      const learning = { type, content: keptText(content) };
      if (await tx.addLearning(learning)) audit.push(auditDraft(deps, "learning.added", { after: learning }));
    }
    return { outcome: { added: audit.length, known: propose.length - audit.length }, audit };
  };
}
