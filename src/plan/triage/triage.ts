import { readIssue } from "../../domain/issue-text/issue-reading.ts";
import type { IssueReading } from "../../domain/issue-text/issue-reading.ts";
import type { Risk, TriageResult } from "../../domain/plan.ts";
import { triageResultSchema } from "../../domain/plan.ts";
import type { OpenIndex } from "../../code/index/open.ts";
import type { Clock } from "../../lib/clock.ts";
import { parsed } from "../answer.ts";
import type { Told } from "../answer.ts";
import type { TriageInput } from "../input.ts";
import { triageInputSchema } from "../input.ts";
import type { AskForTriage } from "../model/triage.ts";
import { locatedFor } from "../places.ts";
import { affectedByNames, affectedOf } from "./affected.ts";
import { classificationOf } from "./classification.ts";
import { mentionedFiles } from "./mentioned.ts";
import { decisionOf } from "./decision.ts";
import { labelsFor } from "./labels.ts";
import { effortBefore, riskOf } from "./risk.ts";
import { securityFlags } from "./security.ts";
import { skillsetOf } from "./skillset.ts";

export interface TriageDeps {
  clock: Clock;
  /** The code, where there is a repository to look at; otherwise the names of its files have to do. */
  index?: OpenIndex | null;
  /** A model that may refine what the rules say; it never makes an issue safer than they do. */
  model?: AskForTriage;
  /** What to do when the model fails: say so, or keep what the rules say. */
  modelFailure?: "error" | "rules";
}

const MOST_FILES = 5;
const MOST_MENTIONED = 4;

/**
 * What an issue is, how risky, which files it is about, and who should do it (R-TRI-1), from whatever came in.
 * Deterministic without a model, but for the time; changes nothing anywhere.
 */
export async function triage(given: unknown, deps: TriageDeps): Promise<Told<TriageResult>> {
  const input = parsed(triageInputSchema, given);
  if (!input.success) return { answer: input, warnings: [] };
  const byRules = await triageByRules(input.data, deps);
  if (deps.model === undefined || byRules.auto_fix_decision === "NO") {
    return { answer: { success: true, data: byRules }, warnings: [] };
  }
  const asked = await deps.model({ input: input.data, byRules });
  if (asked.kind === "triaged") return { answer: { success: true, data: asked.result }, warnings: [] };
  if (deps.modelFailure !== "rules") return { answer: asked.failure, warnings: [] };
  return {
    answer: { success: true, data: byRules },
    warnings: [`${asked.failure.error.message} What the rules say stands.`],
  };
}

async function triageByRules(
  { issue, repository_context, spec }: TriageInput,
  deps: TriageDeps,
): Promise<TriageResult> {
  const reading = readIssue(issue);
  const tree = repository_context.file_tree;
  const planned = filesOfSpec(spec, tree);
  const paths = planned.there.length > 0 ? planned.there : await affectedFiles(reading, tree, deps.index ?? null);
  const { classification, reason: why } = classificationOf(reading, paths, issue.labels);
  const { title, prose } = reading;
  const flags = securityFlags({ title, prose, labels: issue.labels, paths: [...paths, ...planned.made] });
  const touched = riskOf({ classification, title, paths });
  const risk: Risk = flags.length > 0 ? "HIGH" : touched.risk;
  const effort = effortBefore({ classification, title, paths, criteria: reading.acceptanceCriteria.length });
  const { decision, reason } = decisionOf({ issue, reading, paths, risk, effort, flags });
  const because = flags.length > 0 ? flags.slice(0, 3).join("; ") : touched.reason;
  return triageResultSchema.parse({
    issue_number: issue.number,
    classification,
    risk,
    affected_files: paths,
    skillset: skillsetOf(paths, repository_context.languages),
    auto_fix_decision: decision,
    reasoning: `${classification} (${why}). Risk ${risk}: ${because}. Decision ${decision}: ${reason}.`,
    security_flags: flags,
    estimated_complexity: effort,
    suggested_labels: labelsFor({
      classification,
      risk,
      flags,
      known: issue.labels,
      isQuestion: reading.kind.kind === "question",
    }),
    timestamp: deps.clock.now().toISOString(),
  } satisfies TriageResult);
}

/** The files that a spec's tasks touch: those of the tree, and those to be made. */
function filesOfSpec(spec: TriageInput["spec"], tree: readonly string[]): { there: string[]; made: string[] } {
  const touched = new Set((spec?.tasks ?? []).flatMap(({ touchPoints }) => touchPoints.map(({ path }) => path)));
  if (touched.size === 0) return { there: [], made: [] };
  const known = new Set(tree);
  return {
    there: [...touched].filter((path) => known.has(path)),
    made: [...touched].filter((path) => !known.has(path)),
  };
}

/** What the explorer finds and the text names; from names alone where there is no code, or nothing found. */
async function affectedFiles(
  reading: IssueReading,
  tree: readonly string[],
  index: OpenIndex | null,
): Promise<string[]> {
  const located = await locatedFor(reading, index);
  const mentioned = mentionedFiles(`${reading.title}\n${reading.prose}`, tree).slice(0, MOST_MENTIONED);
  const found = affectedOf(located, { aboutDocs: reading.kind.kind === "docs", tree: new Set(tree), reading });
  const known = [...new Set(reading.traces.length > 0 ? [...found, ...mentioned] : [...mentioned, ...found])].slice(
    0,
    MOST_FILES,
  );
  return known.length > 0 ? known : affectedByNames(reading, tree);
}
