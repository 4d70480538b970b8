import { prose } from "../domain/text/comment-markdown.ts";
import type { Translate } from "../i18n/phrases.ts";
import type { FixPlan, TriageResult } from "../domain/plan.ts";

/**
 * Why a person must review the result of a plan, in the reader's language; null if no review is needed. Derived from
 * the facts in the order of R-FIX-7.
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

const RISK = /(?:^|\. )Risk (?:LOW|MEDIUM|HIGH): ([^]+?)(?:\. Decision (?:YES|NO|HUMAN_REVIEW_REQUIRED): [^]*)?$/;

/** The rule behind a risk, without the kind of issue and the decision that triage tells beside it. */
export function reasonOfRisk({ reasoning }: Pick<TriageResult, "reasoning">): string {
  return RISK.exec(reasoning)?.[1] ?? reasoning;
}
