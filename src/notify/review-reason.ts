import { prose } from "../domain/text/comment-markdown.ts";
import type { Translate } from "../i18n/phrases.ts";
import type { FixPlan, RiskReason, TriageResult } from "../domain/plan.ts";

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

/**
 * The rule behind a risk in the reader's language; of a plan by a model, or of an earlier version of Relay, the words
 * of its triage without the kind of issue and the decision that it tells beside it.
 */
export function reasonOfRisk(
  { reasoning, risk_reason: reason }: Pick<TriageResult, "reasoning" | "risk_reason">,
  say: Translate<"plan">,
): string {
  return reason === undefined ? (RISK.exec(reasoning)?.[1] ?? reasoning) : riskWords(reason, say);
}

/** What a rule found, in words. */
export function riskWords({ rule, facts }: RiskReason, say: Translate<"plan">): string {
  return say(`because_${rule}`, { text: facts.join(", "), number: facts[0] ?? "" });
}
