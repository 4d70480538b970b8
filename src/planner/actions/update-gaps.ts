import type { ActionOf } from "../../domain/action.ts";
import type { Gap } from "../../domain/gap.ts";
import { keptText } from "../../domain/text/clean-text.ts";
import { auditDraft } from "./audit-draft.ts";
import { PartError } from "./failure.ts";
import { findGap } from "./gap-reference.ts";
import type { ActionWrites, Apply, AuditDraft, ExecutorDeps } from "./ports.ts";

type Deps = Pick<ExecutorDeps<ActionWrites>, "issue" | "reasoning">;

/** Adds, asks and closes, in this order, all or nothing: what it adds can be asked and closed at once. */
export function applyGaps({ add, ask, close }: ActionOf<"update_gaps">["data"], deps: Deps): Apply<ActionWrites> {
  return async (tx) => {
    const audit: AuditDraft[] = [];
    const added: number[] = [];
    for (const gap of add) {
      const stored = await tx.addGap({
        question: keptText(gap.question),
        evidence: gap.evidence === undefined ? null : keptText(gap.evidence),
        severity: gap.severity,
        respondent: gap.respondent,
        topic: gap.topic ?? null,
        proposedDefault: gap.proposed_default === undefined ? null : keptText(gap.proposed_default),
        pending: gap.pending,
      });
      added.push(stored.number);
      audit.push(auditDraft(deps, stored.status === "pending" ? "gap.kept" : "gap.asked", { after: facts(stored) }));
    }
    const gaps = new Map((await tx.listGaps()).map((gap) => [gap.id, gap]));
    for (const reference of ask) {
      const gap = existing([...gaps.values()], reference);
      if (gap.status !== "pending") throw refused(gap, "is not pending, so it cannot be asked");
      await tx.askGap(gap.id);
      gaps.set(gap.id, { ...gap, status: "open" });
      audit.push(auditDraft(deps, "gap.asked", { before: facts(gap), after: { ...facts(gap), status: "open" } }));
    }
    for (const { gap_id: reference, reason, note: given } of close) {
      const note = given === undefined ? null : keptText(given);
      const gap = existing([...gaps.values()], reference);
      if (gap.status === "closed") throw refused(gap, "is closed already");
      await tx.closeGap(gap.id, reason, note);
      gaps.set(gap.id, { ...gap, status: "closed" });
      const after = { ...facts(gap), status: "closed", reason, note };
      audit.push(auditDraft(deps, "gap.closed", { before: facts(gap), after }));
    }
    return { outcome: { added, asked: ask.length, closed: close.length }, audit };
  };
}

function existing(gaps: Gap[], reference: string): Gap {
  const gap = findGap(gaps, reference);
  if (gap) return gap;
  throw new PartError("not_found", `gap_${reference}`, `gap ${reference} does not exist in this issue`);
}

function refused(gap: Gap, why: string): PartError {
  return new PartError("conflict", `gap_${gap.number}`, `gap ${gap.number} ${why}`);
}

function facts({ id, number, question, severity, respondent, status }: Gap): Record<string, unknown> {
  return { id, number, question, severity, respondent, status };
}
