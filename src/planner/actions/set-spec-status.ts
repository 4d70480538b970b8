import type { ActionOf } from "../../domain/action.ts";
import { RelayError } from "../../lib/errors.ts";
import { auditDraft } from "./audit-draft.ts";
import type { ActionWrites, Apply, ExecutorDeps } from "./ports.ts";

/** Sets the status of the newest spec; fails with `not_found` when there is none. */
export function applySpecStatus(
  { status }: ActionOf<"set_spec_status">["data"],
  deps: Pick<ExecutorDeps<ActionWrites>, "issue" | "reasoning">,
): Apply<ActionWrites> {
  return async (tx) => {
    const before = await tx.setSpecStatus(status);
    if (before === null)
      throw new RelayError("not_found", `issue ${deps.issue.id} has no spec whose status could be set`);
    const audit = [auditDraft(deps, `spec.${status}`, { before: { status: before }, after: { status } })];
    return { outcome: { before, after: status }, audit };
  };
}
