import { prose } from "../domain/text/comment-markdown.ts";
import type { Translate } from "../i18n/phrases.ts";
import type { FixPlan, TriageResult } from "../domain/plan.ts";

/**
 * Why a person must look at what comes of a plan, for people; null where nobody must (R-FIX-7). Drawn from the facts
 * behind it, in the order of R-FIX-7, so that people read it in their language.
 */
export function reasonToLook(
  plan: FixPlan,
  { risk, estimated_complexity }: TriageResult,
  say: Translate<"plan">,
): string | null {
  if (plan.human_check_reason === null) return null;
  const number = plan.file_changes.length;
  if (risk === "HIGH") return say("look_high");
  if (risk === "MEDIUM") return say("look_medium", { number });
  if (number > 5) return say("look_files", { number });
  if (estimated_complexity === "COMPLEX") return say("look_complex");
  return prose(plan.human_check_reason, 300);
}
