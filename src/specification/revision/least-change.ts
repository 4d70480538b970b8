import type { SpecDraft, SpecInput } from "../generator.ts";
import { isSameSpec, logged } from "./changelog.ts";
import { type Reasons, reasonsIn } from "./reasons.ts";
import { reconcile } from "./reconcile.ts";
import type { Unasked } from "./units.ts";

type Written = Pick<SpecDraft, "markdown" | "changelog" | "changes">;

/**
 * A new text as the least change of the existing spec, with its entry in the Changelog (R-SPEC-12); the existing spec itself
 * where nothing else differs (R-SPEC-11). The first version stays as it was written.
 */
export function leastChange(
  fresh: Written,
  input: SpecInput,
  reasons: Reasons = reasonsIn(input, fresh.changes),
): { markdown: string; changelog: string; unasked: Unasked[]; isOld: boolean } {
  const { existing } = input;
  if (existing === null) return { markdown: fresh.markdown, changelog: "", unasked: [], isOld: false };
  const { markdown, unasked } = reconcile(existing.content, fresh.markdown, reasons);
  if (isSameSpec(markdown, existing.content))
    return { markdown: existing.content, changelog: "", unasked, isOld: true };
  return { ...logged(markdown, fresh.changelog, input), unasked, isOld: false };
}
