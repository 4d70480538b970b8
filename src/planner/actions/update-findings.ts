import type { ActionOf } from "../../domain/action.ts";
import type { Finding } from "../../domain/finding.ts";
import { keptCode, keptText } from "../../domain/text/clean-text.ts";
import { auditDraft } from "./audit-draft.ts";
import { PartError } from "./failure.ts";
import type { ActionWrites, Apply, ExecutorDeps } from "./ports.ts";

/** Removes, then adds, all or nothing; what the limit pushes out is recorded as removed too (R-ACT-6). */
export function applyFindings(
  { add, remove }: ActionOf<"update_findings">["data"],
  deps: Pick<ExecutorDeps<ActionWrites>, "issue" | "reasoning">,
): Apply<ActionWrites> {
  return async (tx) => {
    const before = await tx.listFindings();
    const left = new Set(before.map((finding) => finding.id));
    for (const id of remove) {
      if (!left.delete(id)) throw new PartError("not_found", `finding_${id}`, `finding ${id} does not exist`);
      await tx.removeFinding(id);
    }
    for (const { synthesis, sources } of add) {
      const kept = sources.map((source) => ({
        ...source,
        location: keptCode(source.location),
        snippet: keptCode(source.snippet),
      }));
      await tx.addFinding({ synthesis: keptText(synthesis), sources: kept });
    }
    const after = await tx.listFindings();

    const gone = missingFrom(after, before);
    const added = missingFrom(before, after);
    return {
      outcome: { added: added.map((finding) => finding.id), removed: gone.map((finding) => finding.id) },
      audit: [
        ...gone.map((finding) => auditDraft(deps, "finding.removed", { before: facts(finding) })),
        ...added.map((finding) => auditDraft(deps, "finding.added", { after: facts(finding) })),
      ],
    };
  };
}

/** The findings of `these` that `others` do not hold. */
function missingFrom(others: Finding[], these: Finding[]): Finding[] {
  const ids = new Set(others.map((finding) => finding.id));
  return these.filter((finding) => !ids.has(finding.id));
}

function facts({ id, synthesis, sources }: Finding): Record<string, unknown> {
  return { id, synthesis, sources };
}
