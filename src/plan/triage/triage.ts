import { type IssueReading, readIssue } from "../../domain/issue-text/issue-reading.ts";
import { type Effort, type Risk, type TriageResult, triageResultSchema } from "../../domain/plan.ts";
import { ordersInComments } from "../../domain/issue-text/orders-in-text.ts";
import type { OpenIndex } from "../../code/index/explorer.ts";
import type { Clock } from "../../lib/clock.ts";
import { type WithWarnings, parsed } from "../answer.ts";
import { forbiddenBy } from "../forbidden.ts";
import { type PlanIssue, type TriageInput, triageInputSchema } from "../input.ts";
import type { AskForTriage } from "../model/triage.ts";
import { locatedFor } from "../places.ts";
import { affectedByNames, affectedOf } from "./affected.ts";
import { classificationOf } from "./classification.ts";
import { labelsFor } from "./labels.ts";
import { effortBefore, inEnglish, reasonFor, riskOf } from "./risk.ts";
import { securityFlags } from "./security.ts";
import { buildsNothing } from "../spec-steps.ts";
import { skillsetOf } from "./skillset.ts";
import { anyOf } from "../../domain/issue-text/phrases.ts";

export interface TriageDeps {
  clock: Clock;
  /** The code index; without one, only the file names are used. */
  index?: OpenIndex | null;
  /** A model that may refine the rules' triage; it never makes an issue safer. */
  model?: AskForTriage;
  /** When the model fails: return the error, or fall back to rules. */
  modelFailure?: "error" | "rules";
}

const MOST_FILES = 5;
const MOST_MENTIONED = 4;

/**
 * Triages an issue: its kind, risk, affected files and suggested owner (R-TRI-1). Deterministic without a model, except
 * for the timestamp; has no side effects.
 */
export async function triage(given: unknown, deps: TriageDeps): Promise<WithWarnings<TriageResult>> {
  const input = parsed(triageInputSchema, given);
  if (!input.success) return { answer: input, warnings: [] };
  const byRules = await triageByRules(input.data, deps);
  if (deps.model === undefined || byRules.auto_fix_decision === "NO") {
    return { answer: { success: true, data: byRules }, warnings: [] };
  }
  const asked = await deps.model({ input: input.data, byRules, index: deps.index ?? null });
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
  const { comments = [], ...own } = issue;
  const reading = readIssue(own);
  const tree = repository_context.file_tree;
  const { names: forbidden, isForbidden } = forbiddenBy({ issue, spec });
  const free = tree.filter((path) => !isForbidden(path));
  const planned = filesOfSpec(spec, free);
  const isNothing = buildsNothing(spec);
  const paths =
    isNothing || planned.there.length > 0
      ? planned.there
      : await affectedFiles(reading, { tree: free, forbidden }, deps.index ?? null);
  const { classification, reason: why } = classificationOf(reading, paths, issue.labels);
  const { title, prose } = reading;
  const toolOrders = [...reading.toolOrders, ...ordersInComments(comments, title)];
  const flags = securityFlags({ title, prose, labels: issue.labels, paths: [...paths, ...planned.made], toolOrders });
  // What a title says of dependencies and interfaces risks nothing where nothing changes.
  const touched = riskOf({ classification, title: isNothing ? "" : title, paths });
  const risk: Risk = flags.length > 0 ? "HIGH" : touched.risk;
  const effort = effortBefore({ classification, title, paths, criteria: reading.acceptanceCriteria.length });
  const { decision, reason } = decisionOf({ issue, reading, paths, risk, effort, flags, isNothing });
  const riskReason = reasonFor(flags, touched.reason);
  return triageResultSchema.parse({
    issue_number: issue.number,
    classification,
    risk,
    affected_files: paths,
    skillset: skillsetOf(paths, repository_context.languages),
    auto_fix_decision: decision,
    reasoning: `${classification} (${why}). Risk ${risk}: ${inEnglish(riskReason, flags)}. Decision ${decision}: ${reason}.`,
    risk_reason: riskReason,
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

/** The files of a spec's tasks: existing ones, and those to create. */
function filesOfSpec(spec: TriageInput["spec"], tree: readonly string[]): { there: string[]; made: string[] } {
  const touched = new Set((spec?.tasks ?? []).flatMap(({ touchPoints }) => touchPoints.map(({ path }) => path)));
  if (touched.size === 0) return { there: [], made: [] };
  const known = new Set(tree);
  return {
    there: [...touched].filter((path) => known.has(path)),
    made: [...touched].filter((path) => !known.has(path)),
  };
}

/** The files found by the explorer or named in the text; from names alone if there is no code or no match. */
async function affectedFiles(
  reading: IssueReading,
  { tree, forbidden }: { tree: readonly string[]; forbidden: readonly string[] },
  index: OpenIndex | null,
): Promise<string[]> {
  const located = await locatedFor(reading, forbidden, index);
  const mentioned = mentionedFiles(`${reading.title}\n${reading.prose}`, tree).slice(0, MOST_MENTIONED);
  const found = affectedOf(located, {
    aboutDocs: reading.kind.kind === "docs",
    proposal: reading.proposal,
    tree: new Set(tree),
  });
  const known = [...new Set(reading.traces.length > 0 ? [...found, ...mentioned] : [...mentioned, ...found])].slice(
    0,
    MOST_FILES,
  );
  return known.length > 0 ? known : affectedByNames(reading, tree);
}

const TOKEN = /[\w@$.+\-/]{3,200}/g;
const MOST_TOKENS = 20_000;
const WITHOUT_EXTENSION = new Set(
  "Dockerfile Makefile Gemfile Rakefile Procfile Justfile Jenkinsfile Vagrantfile CODEOWNERS".split(" "),
);
/** A name shared by more files than this identifies none of them. */
const MOST_OF_A_NAME = 3;

/**
 * The files whose paths or names appear literally in a text: `src/a.ts`, `.env.production`, `Dockerfile`, `README`. In
 * the text's order; of several files with the same name, the one closest to the root.
 */
function mentionedFiles(text: string, tree: readonly string[]): string[] {
  const tokens = new Set<string>();
  for (const [token] of text.matchAll(TOKEN)) {
    tokens.add(token.replace(/^\.?\/+/, "").replace(/[.\-+/]+$/, ""));
    if (tokens.size >= MOST_TOKENS) break;
  }
  const byToken = new Map<string, string[]>();
  const add = (token: string, path: string) => {
    const known = byToken.get(token);
    if (known === undefined) byToken.set(token, [path]);
    else known.push(path);
  };
  for (const path of tree) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const stem = name.replace(/\.[^.]+$/, "");
    if (tokens.has(path)) add(path, path);
    else if (tokens.has(name) && (name.includes(".") || WITHOUT_EXTENSION.has(name))) add(name, path);
    else if (tokens.has(stem) && /^[A-Z]{4,}$/.test(stem)) add(stem, path);
  }
  const found = [...tokens].flatMap((token) => {
    const paths = byToken.get(token) ?? [];
    if (paths.length === 0) return [];
    const nearest = paths.toSorted((a, b) => depthOf(a) - depthOf(b) || a.length - b.length || (a < b ? -1 : 1));
    const isClear = paths.length <= MOST_OF_A_NAME || depthOf(nearest[0] ?? "") < depthOf(nearest[1] ?? "");
    return isClear ? nearest.slice(0, 1) : [];
  });
  return [...new Set(found)];
}

function depthOf(path: string): number {
  return path.split("/").length;
}

type Decision = TriageResult["auto_fix_decision"];

const BOTS =
  /\[bot\]$|^(?:dependabot|renovate|greenkeeper|snyk|github-actions|codecov|imgbot|allcontributors|pyup|mergify|stale|gitlab-bot)(?:-(?:bot|preview))?$|(?:^|[-_])bot$/i;
const DUPLICATE = anyOf(
  "duplicates?(?: of)?\\s*(?:#|https?:)\\S+|\\[?duplicate\\]|дубликат\\s*#\\d+|duplikat von #\\d+|duplicado de #\\d+|doublon de #\\d+",
  "重复\\s*#\\d+|#\\d+\\s*と重複",
);
const NO_WORK =
  /^(?:duplicate|invalid|wontfix|won['’]?t fix|spam|question|support|discussion|not a bug|works as intended)$/i;
const DISCUSSION =
  /^\W{0,3}(?:discussion|discuss|rfc|poll|announcement|question|help wanted|meta|thoughts on|обсуждение|вопрос|diskussion|discusión|discussão|讨论|議論|토론)\s*[\]):：-]/iu;
const THIN_TEXT = 12;

/** Whether Relay may do it, a person must check first, or there is nothing to do; with the reason (R-TRI-1). */
function decisionOf(given: {
  issue: PlanIssue;
  reading: IssueReading;
  paths: readonly string[];
  risk: Risk;
  effort: Effort;
  flags: readonly string[];
  /** By its spec. */
  isNothing: boolean;
}): { decision: Decision; reason: string } {
  const { issue, reading, paths, flags, risk, effort } = given;
  if (isBot(issue.author)) return { decision: "NO", reason: `a bot, ${issue.author.login}, opened the issue` };
  if (flags.length > 0)
    return { decision: "HUMAN_REVIEW_REQUIRED", reason: `security: ${flags.slice(0, 3).join("; ")}` };
  if (given.isNothing) return { decision: "NO", reason: "its spec says that nothing is to be built" };
  const none = noWork(issue, reading, paths);
  if (none !== null) return { decision: "NO", reason: none };
  if (risk !== "LOW") return { decision: "HUMAN_REVIEW_REQUIRED", reason: `the risk is ${risk}` };
  if (paths.length === 0) return { decision: "HUMAN_REVIEW_REQUIRED", reason: "no file was found that it is about" };
  if (effort === "COMPLEX") return { decision: "HUMAN_REVIEW_REQUIRED", reason: "it is much work" };
  return { decision: "YES", reason: "low risk, and known where to work" };
}

function isBot({ login, type, is_bot }: PlanIssue["author"]): boolean {
  return is_bot === true || type?.toLowerCase() === "bot" || BOTS.test(login);
}

function noWork(issue: PlanIssue, reading: IssueReading, paths: readonly string[]): string | null {
  const label = issue.labels.find((each) => NO_WORK.test(each.trim()));
  if (label !== undefined) return `it is labelled ${label}`;
  if (DUPLICATE.test(`${issue.title}\n${reading.prose.slice(0, 4_000)}`)) return "it says that it is a duplicate";
  if (DISCUSSION.test(issue.title)) return "it opens a discussion";
  if (reading.kind.kind === "question") return "it asks a question";
  const said = `${reading.title} ${reading.prose} ${reading.code}`.replaceAll(/[^\p{L}\p{N}]+/gu, "");
  if (said.length < THIN_TEXT && paths.length === 0) return "it says too little to act on";
  return null;
}
