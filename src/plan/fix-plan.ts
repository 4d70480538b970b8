import { codeSpan } from "../lib/text.ts";
import { isQuestion } from "../domain/issue-text/sentences.ts";
import { proseSentences } from "../domain/issue-text/prose-sentences.ts";
import { readSentence } from "../domain/statements/sentence.ts";
import { WRITTEN_LANGUAGES, phrases } from "../i18n/phrases.ts";
import { type IssueReading, readIssue } from "../domain/issue-text/issue-reading.ts";
import { type Effort, type FileChange, type FixPlan, type PlanStep, fixPlanSchema } from "../domain/plan.ts";
import type { OpenIndex } from "../code/index/explorer.ts";
import type { Clock } from "../lib/clock.ts";
import { type Failure, type WithWarnings, failure, parsed } from "./answer.ts";
import { branchName } from "../domain/branch-name.ts";
import { type DraftStep, type PlannedFile, capital, changeOf, step, stepsOf, taskIn } from "./change-steps.ts";
import { validationCommands } from "./commands.ts";
import { durationOf, effortOf, humanCheckReason } from "./effort.ts";
import { type PlanInput, planInputSchema } from "./input.ts";
import type { AskForSteps } from "./model/steps.ts";
import { type Say, namesOf } from "./phrase.ts";
import { plannedFiles } from "./planned-files.ts";
import { buildsNothing, stepsOfNothing, stepsOfSpec, tasksOfPeople } from "./spec-steps.ts";
import { classify } from "../code/classify.ts";

export interface FixPlanDeps {
  clock: Clock;
  /** The code index, for lines and symbols; optional. */
  index?: OpenIndex | null;
  /** Whether a branch exists, in addition to the input's own list. */
  branchExists?: (name: string) => boolean | Promise<boolean>;
  /** A model that writes the steps; rules by default. */
  model?: AskForSteps;
  /** When the model fails: return the error, or fall back to rules. */
  modelFailure?: "error" | "rules";
  /** Language of steps that come from a spec; default English (R-PLAN-10). */
  language?: string;
  /** Whether the branch must tell nothing of the issue's title (R-SAFE-11). */
  neutral?: boolean;
}

const USUAL_STEPS = 7;
const MOST_STEPS = 10;
/** From this many files or tasks on, a plan may have more steps. */
const LARGE = 5;

/** Makes the fix plan for a triaged issue (R-FIX-1 to 8). Deterministic without a model, except for the timestamp. */
export async function fixPlan(given: unknown, deps: FixPlanDeps): Promise<WithWarnings<FixPlan>> {
  const input = parsed(planInputSchema, given);
  if (!input.success) return { answer: input, warnings: [] };
  const { issue, triage_result: triage } = input.data;
  const { comments: _, ...own } = issue;
  const reading = readIssue(own);
  const isNothing = buildsNothing(input.data.spec);
  const found = isNothing
    ? { success: true as const, data: [] }
    : await plannedFiles(input.data, reading, deps.index ?? null);
  if (!found.success) return { answer: found, warnings: [] };
  const files = found.data;
  const branch = await branchFor(input.data, deps);
  if (branch === null) {
    const message = `Every branch name for issue ${issue.number} is taken; delete branches that are merged.`;
    return { answer: failure("BRANCH_EXISTS", message), warnings: [] };
  }
  const paths = files.map(({ path }) => path);
  const { commands, warnings } = isNothing
    ? { commands: [], warnings: [] }
    : validationCommands(triage.risk, paths, input.data.conventions);
  // Without a spec the steps are English throughout.
  const say = phrases("steps", (input.data.spec?.tasks.length ?? 0) > 0 ? (deps.language ?? "en") : "en");
  const drafted = await draftSteps(input.data, { reading, files, commands, deps, warnings, say });
  if (!drafted.success) return { answer: drafted, warnings };
  const plan_steps = numbered(drafted.data.steps);
  const effort = isNothing
    ? "TRIVIAL"
    : atLeast(triage.estimated_complexity ?? null, effortOf(plan_steps.length, files.length));
  const file_changes = files.map((file, at): FileChange => ({
    path: file.path,
    operation: file.operation,
    change_summary: drafted.data.summaries.get(file.path) ?? summaryOf(file, at, { reading, input: input.data, say }),
    line_range: file.operation === "MODIFY" ? file.range : null,
  }));
  if (triage.auto_fix_decision === "NO" && !isNothing) {
    warnings.push(`Triage says that issue ${issue.number} is not to be fixed automatically; this plan is for people.`);
  }
  const first = tasksOfPeople(input.data.spec);
  const data = fixPlanSchema.parse({
    issue_number: issue.number,
    branch_name: branch,
    ...(isNothing ? { nothing_to_build: true as const } : {}),
    plan_steps,
    file_changes,
    validation_commands: commands,
    human_check_reason:
      first.length > 0
        ? `Before anything is built: ${first.join("; ")}.`
        : humanCheckReason({ risk: triage.risk, paths, effort, flags: triage.security_flags ?? [] }),
    estimated_duration: durationOf(effort),
    timestamp: deps.clock.now().toISOString(),
  } satisfies FixPlan);
  return { answer: { success: true, data }, warnings };
}

async function branchFor(
  { issue, triage_result, conventions, spec, existing_branches = [] }: PlanInput,
  deps: FixPlanDeps,
) {
  const existing = new Set(existing_branches);
  const named =
    deps.neutral === true ? { title: "" } : { title: issue.title, built: spec?.title ?? "", language: deps.language };
  return await branchName({ number: issue.number, ...named }, triage_result.classification, {
    prefixes: conventions.branch_prefix,
    isTaken: async (name) => existing.has(name) || ((await deps.branchExists?.(name)) ?? false),
  });
}

/** A question to the project is no work order, unless a sentence beside it wishes for something. */
function ordersNothing({ kind, aspects, proposal, sections }: IssueReading): boolean {
  if (kind.kind !== "question" || aspects.acceptance.present || proposal !== null) return false;
  const sentences = proseSentences(sections.flatMap(({ blocks }) => blocks));
  return sentences.every(({ text }) => isQuestion(text) || readSentence(text, WRITTEN_LANGUAGES).kind !== "wish");
}

interface Drafted {
  steps: DraftStep[];
  /** By path, if a model wrote one. */
  summaries: ReadonlyMap<string, string>;
}

async function draftSteps(
  input: PlanInput,
  given: {
    reading: IssueReading;
    files: PlannedFile[];
    commands: string[];
    deps: FixPlanDeps;
    warnings: string[];
    say: Say;
  },
): Promise<{ success: true; data: Drafted } | Failure> {
  const { files, commands, deps, warnings, say } = given;
  const tasks = input.spec?.tasks ?? [];
  if (tasks.length === 0 && ordersNothing(given.reading)) {
    return failure(
      "PLANNING_FAILED",
      `Issue ${input.issue.number} asks a question, and names nothing to change; say in it what should become different.`,
      { issue_number: input.issue.number },
    );
  }
  if (files.length === 0 && tasks.length === 0) {
    return failure(
      "PLANNING_FAILED",
      `No file is known that issue ${input.issue.number} is about, and it has no spec; a person must say where the work is.`,
      { issue_number: input.issue.number },
    );
  }
  if (buildsNothing(input.spec)) {
    return { success: true, data: { steps: stepsOfNothing(tasks, say), summaries: new Map() } };
  }
  const most = tasks.length > LARGE || files.length > LARGE ? MOST_STEPS : USUAL_STEPS;
  if (deps.model !== undefined) {
    const asked = await deps.model({ input, files, commands, most, index: deps.index ?? null });
    if (asked.kind === "planned") return { success: true, data: asked };
    if (deps.modelFailure !== "rules") return asked.failure;
    warnings.push(`${asked.failure.error.message} The rules planned instead.`);
  }
  const work =
    tasks.length > 0
      ? stepsOfSpec(tasks, most - Math.min(2, Math.max(1, commands.length)), say)
      : stepsOf(
          {
            reading: given.reading,
            classification: input.triage_result.classification,
            files,
            test: testOf(files, input.repository_context.file_tree),
          },
          most - 1,
        );
  return {
    success: true,
    data: { steps: [...work, ...checkSteps(files, commands, most - work.length, say)], summaries: new Map() },
  };
}

/** One step per command, or one for all if there is no room. */
function checkSteps(files: readonly PlannedFile[], commands: readonly string[], places: number, say: Say): DraftStep[] {
  const paths = files.map(({ path }) => path);
  if (commands.length === 0) {
    return [step(say("reread"), paths)];
  }
  if (commands.length <= Math.max(1, places)) {
    return commands.map((command) => step(say("run", { command: codeSpan(command) }), paths, command));
  }
  return [step(say("run_all", { commands: namesOf(commands, 5, say) }), paths)];
}

function numbered(steps: readonly DraftStep[]): PlanStep[] {
  return steps.slice(0, MOST_STEPS).map((each, at) => ({ order: at + 1, ...each }));
}

/** Triage recognizes refactoring, which the numbers of steps and files do not show. */
function atLeast(triaged: Effort | null, counted: Effort): Effort {
  return triaged === "COMPLEX" ? "COMPLEX" : counted;
}

function summaryOf(
  file: PlannedFile,
  at: number,
  { reading, input, say }: { reading: IssueReading; input: PlanInput; say: Say },
): string {
  const { classification } = input.triage_result;
  return taskIn(file, say) ?? capital(changeOf(file, { reading, classification }, at === 0));
}

/** The test of the first file that has one, by name: `a.test.ts`, `test_a.py`, `ATest.java`; null without one. */
function testOf(files: readonly { path: string }[], tree: readonly string[]): string | null {
  const sources = files.filter(({ path }) => classify(path).role === "source").map(({ path }) => stemOf(path));
  const wanted = new Map(sources.map((stem, at) => [stem, at]));
  if (wanted.size === 0) return null;
  const found = tree.flatMap((path) => {
    const stem = stemOf(path);
    const subject = subjectOf(stem);
    const at = subject === stem ? undefined : wanted.get(subject);
    return at === undefined || classify(path).role !== "test" ? [] : [{ path, at }];
  });
  const best = found.toSorted((a, b) => a.at - b.at || a.path.length - b.path.length || (a.path < b.path ? -1 : 1));
  return best[0]?.path ?? null;
}

/** The file's name without folders and its last extension. */
function stemOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]+$/, "");
}

function subjectOf(stem: string): string {
  return stem.replace(/^(?:test_|Test(?=[A-Z]))|(?:[._-](?:test|tests|spec)|(?<=[a-z0-9])(?:Tests?|Spec|IT))$/g, "");
}
