import type { Risk, TriageResult } from "../../domain/plan.ts";
import { RISKS } from "../../domain/plan.ts";
import type { TriageInput } from "../input.ts";
import type { TriageSubmission } from "../model/triage.ts";
import { phrase } from "../phrase.ts";
import { labelsFor } from "./labels.ts";
import { riskOf } from "./risk.ts";
import { securityFlags } from "./security.ts";
import { skillsetOf } from "./skillset.ts";

/**
 * What the rules say, with a model's corrections: it may find other files and words, raise the risk and ask for a
 * person, and nothing of that the other way round (R-TRI-1, R-SAFE-1).
 */
export function refined(
  byRules: TriageResult,
  given: TriageSubmission,
  { issue, repository_context }: TriageInput,
): TriageResult {
  const { classification } = given;
  const paths = given.affected_files.length > 0 ? [...new Set(given.affected_files)] : byRules.affected_files;
  const inFiles = securityFlags({ title: "", prose: "", labels: [], paths });
  const flags = [...new Set([...byRules.security_flags, ...inFiles])];
  const touched = riskOf({ classification, title: issue.title, paths }).risk;
  const risk = flags.length > 0 ? "HIGH" : higher(higher(byRules.risk, given.risk), touched);
  const mayBeDone =
    byRules.auto_fix_decision === "YES" &&
    risk === "LOW" &&
    classification !== "OTHER" &&
    given.estimated_complexity !== "COMPLEX";
  return {
    ...byRules,
    classification,
    risk,
    affected_files: paths,
    skillset: skillsetOf(paths, repository_context.languages),
    auto_fix_decision: mayBeDone ? "YES" : byRules.auto_fix_decision === "NO" ? "NO" : "HUMAN_REVIEW_REQUIRED",
    reasoning: phrase(given.reasoning, 2_000),
    security_flags: flags,
    estimated_complexity: given.estimated_complexity,
    suggested_labels: labelsFor({ classification, risk, flags, known: issue.labels, isQuestion: false }),
  };
}

function higher(a: Risk, b: Risk): Risk {
  return RISKS.indexOf(a) >= RISKS.indexOf(b) ? a : b;
}
