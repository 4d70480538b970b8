import { z } from "zod";
import { type Risk, type RiskReason, type TriageResult, CLASSIFICATIONS, EFFORTS, RISKS } from "../../domain/plan.ts";
import { loadPrompt } from "../../adapters/models/prompt.ts";
import type { Ranking } from "../../code/agent/first-look.ts";
import type { OpenIndex } from "../../code/index/explorer.ts";
import type { Failure } from "../answer.ts";
import type { TriageInput } from "../input.ts";
import { phrase } from "../phrase.ts";
import { type AskParts, ask } from "./ask.ts";
import { codeMaterial, issueMaterial, treeMaterial } from "./material.ts";
import { fenceCode } from "../../adapters/models/fence.ts";
import { labelsFor } from "../triage/labels.ts";
import { inEnglish, reasonFor, riskOf } from "../triage/risk.ts";
import { securityFlags } from "../triage/security.ts";
import { skillsetOf } from "../triage/skillset.ts";

/** The input that a model refines. */
export interface TriageWanted {
  input: TriageInput;
  byRules: TriageResult;
  index: OpenIndex | null;
}

export type TriageFromModel = { kind: "triaged"; result: TriageResult } | { kind: "failed"; failure: Failure };

export type AskForTriage = (wanted: TriageWanted) => Promise<TriageFromModel>;

const submission = z.object({
  classification: z.enum(CLASSIFICATIONS),
  risk: z.enum(RISKS),
  affected_files: z.array(z.string().max(4_096)).max(20),
  estimated_complexity: z.enum(EFFORTS),
  reasoning: z.string().trim().min(1).max(4_000),
});
export type TriageSubmission = z.output<typeof submission>;

/** A model that reviews the rules' triage of an issue (R-TRI-1). It sees the code in the order of `rank`. */
export function triageByModel({ rank, ...parts }: AskParts & { rank?: Ranking }): AskForTriage {
  const prompt = loadPrompt("triage");
  return async ({ input, byRules, index }) => {
    const { issue, repository_context: repository } = input;
    const tree = new Set(repository.file_tree);
    const code = await codeMaterial(issue, index, rank);
    const asked = await ask(parts, {
      role: "triage",
      system: prompt.fill({}),
      material: (boundary) =>
        [
          issueMaterial(issue, boundary),
          ...code(boundary),
          treeMaterial(byRules.affected_files, repository.file_tree, boundary),
          `# What the program concluded\n\n${fenceCode("triage", JSON.stringify(shown(byRules), null, 2), boundary)}`,
        ].join("\n\n"),
      tool: "submit_triage",
      schema: submission,
      check: (given) => {
        const unknown = given.affected_files.filter((path) => !tree.has(path));
        return unknown.length === 0
          ? { kind: "taken", value: given }
          : {
              kind: "wrong",
              problems: unknown.map((path) => `affected_files: ${phrase(path, 200)} is no file of the repository`),
            };
      },
    });
    return asked.kind === "failed" ? asked : { kind: "triaged", result: refined(byRules, asked.value, input) };
  };
}

function shown({
  classification,
  risk,
  affected_files,
  estimated_complexity,
  reasoning,
  security_flags,
}: TriageResult) {
  return { classification, risk, affected_files, estimated_complexity, reasoning, security_flags };
}

/**
 * The rules' triage with a model's corrections: it may name other files and words, raise the risk and require a person,
 * but never the reverse (R-TRI-1, R-SAFE-1).
 */
function refined(
  byRules: TriageResult,
  given: TriageSubmission,
  { issue, repository_context }: TriageInput,
): TriageResult {
  const { classification } = given;
  const paths = given.affected_files.length > 0 ? [...new Set(given.affected_files)] : byRules.affected_files;
  const inFiles = securityFlags({ title: "", prose: "", labels: [], paths });
  const flags = [...new Set([...byRules.security_flags, ...inFiles])];
  const touched = riskOf({ classification, title: issue.title, paths });
  const risk = flags.length > 0 ? "HIGH" : higher(higher(byRules.risk, given.risk), touched.risk);
  const mayBeDone =
    byRules.auto_fix_decision === "YES" &&
    risk === "LOW" &&
    classification !== "OTHER" &&
    given.estimated_complexity !== "COMPLEX";
  const { risk_reason: before, ...known } = byRules;
  const rule = risk === given.risk ? undefined : ruleFor(risk, { byRules: before, touched, flags });
  return {
    ...known,
    ...(rule === undefined ? {} : { risk_reason: rule }),
    classification,
    risk,
    affected_files: paths,
    skillset: skillsetOf(paths, repository_context.languages),
    auto_fix_decision: mayBeDone ? "YES" : byRules.auto_fix_decision === "NO" ? "NO" : "HUMAN_REVIEW_REQUIRED",
    reasoning: withRule(given.reasoning, risk, { rule, byRules, flags }, given.risk),
    security_flags: flags,
    estimated_complexity: given.estimated_complexity,
    suggested_labels: labelsFor({ classification, risk, flags, known: issue.labels, isQuestion: false }),
  };
}

/** The rule that keeps the risk above what the model says. */
function ruleFor(
  risk: Risk,
  given: { byRules: RiskReason | undefined; touched: ReturnType<typeof riskOf>; flags: readonly string[] },
): RiskReason | undefined {
  const { byRules, touched, flags } = given;
  return flags.length > 0 || touched.risk === risk ? reasonFor(flags, touched.reason) : byRules;
}

/** The model's words, after that rule; readers see why the risk is so high. */
function withRule(
  reasoning: string,
  risk: Risk,
  { rule, byRules, flags }: { rule: RiskReason | undefined; byRules: TriageResult; flags: readonly string[] },
  wanted: Risk,
): string {
  const words = phrase(reasoning, 2_000);
  if (risk === wanted) return words;
  const told = rule === undefined ? byRules.reasoning : `Risk ${risk}: ${inEnglish(rule, flags)}.`;
  return phrase(`${told} ${words}`, 2_000);
}

function higher(a: Risk, b: Risk): Risk {
  return RISKS.indexOf(a) >= RISKS.indexOf(b) ? a : b;
}
