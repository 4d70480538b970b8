import { z } from "zod";
import { fenceCode } from "../../adapters/models/fence.ts";
import { loadPrompt } from "../../adapters/models/prompt.ts";
import type { OpenIndex } from "../../code/index/explorer.ts";
import type { Failure } from "../answer.ts";
import type { DraftStep, PlannedFile } from "../change-steps.ts";
import { mayValidate } from "../commands.ts";
import type { PlanInput } from "../input.ts";
import { phrase } from "../phrase.ts";
import { ask, type AskParts } from "./ask.ts";
import { codeMaterial, issueMaterial, treeMaterial } from "./material.ts";

/** The input of a model that plans. */
export interface StepsWanted {
  input: PlanInput;
  files: readonly PlannedFile[];
  /** The only commands that a step may have. */
  commands: readonly string[];
  /** Maximum number of steps. */
  most: number;
  index: OpenIndex | null;
}

export type StepsFromModel =
  | { kind: "planned"; steps: DraftStep[]; summaries: ReadonlyMap<string, string> }
  | { kind: "failed"; failure: Failure };

export type AskForSteps = (wanted: StepsWanted) => Promise<StepsFromModel>;

const FEWEST_STEPS = 3;
const DESCRIPTION = 600;

const submission = z.object({
  plan_steps: z
    .array(
      z.object({
        order: z.number().optional(),
        description: z.string().trim().min(1).max(4_000),
        command: z.string().max(2_000).nullish(),
        files_involved: z.array(z.string().max(4_096)).max(50),
      }),
    )
    .min(1)
    .max(30),
  changes: z
    .array(z.object({ path: z.string().max(4_096), change_summary: z.string().trim().min(1).max(2_000) }))
    .max(500),
});
type Submission = z.output<typeof submission>;

/** A model that writes the steps of a plan (R-FIX-2). Its output is validated before people see it. */
export function stepsByModel(parts: AskParts): AskForSteps {
  const prompt = loadPrompt("fix-plan");
  return async (wanted) => {
    // The tasks of a spec name their places.
    const hasTasks = (wanted.input.spec?.tasks.length ?? 0) > 0;
    const code = await codeMaterial(wanted.input.issue, hasTasks ? null : wanted.index);
    const asked = await ask(parts, {
      role: "fix_plan",
      system: prompt.fill({ most_steps: String(wanted.most) }),
      material: (boundary) => materialOf(wanted, code(boundary), boundary),
      tool: "submit_plan",
      schema: submission,
      check: (given) => {
        const problems = problemsIn(given, wanted);
        return problems.length > 0 ? { kind: "wrong", problems } : { kind: "taken", value: given };
      },
    });
    if (asked.kind === "failed") return asked;
    const { plan_steps, changes } = asked.value;
    return {
      kind: "planned",
      steps: plan_steps.map((step) => ({
        description: phrase(step.description, DESCRIPTION) || "Look at the files of this step",
        command: step.command?.trim() || null,
        files_involved: [...new Set(step.files_involved)],
      })),
      summaries: new Map(
        changes.flatMap(({ path, change_summary }) => {
          const summary = phrase(change_summary, DESCRIPTION);
          return summary === "" ? [] : [[path, summary]];
        }),
      ),
    };
  };
}

function problemsIn({ plan_steps, changes }: Submission, { input, files, commands, most }: StepsWanted): string[] {
  const changed = new Set(files.map(({ path }) => path));
  const known = new Set([...input.repository_context.file_tree, ...changed]);
  const allowed = new Set(commands.filter(mayValidate));
  const problems: string[] = [];
  if (plan_steps.length < FEWEST_STEPS || plan_steps.length > most) {
    problems.push(`plan_steps: ${plan_steps.length} steps, but ${FEWEST_STEPS} to ${most} are wanted`);
  }
  for (const [at, step] of plan_steps.entries()) {
    const command = step.command?.trim() ?? "";
    if (command !== "" && !allowed.has(command)) {
      problems.push(`plan_steps.${at}.command: only null or one of the listed commands may stand here`);
    }
    for (const path of step.files_involved.filter((each) => !known.has(each))) {
      problems.push(`plan_steps.${at}.files_involved: ${phrase(path, 200)} is no file of the repository`);
    }
  }
  for (const { path } of changes.filter((change) => !changed.has(change.path))) {
    problems.push(`changes: ${phrase(path, 200)} is none of the files that will change`);
  }
  return problems.slice(0, 20);
}

const FILES = 60;
const TASKS = 40;

function materialOf({ input, files, commands }: StepsWanted, code: readonly string[], boundary: string): string {
  const changes = files
    .slice(0, FILES)
    .map(({ path, operation, symbol, range }) => ({ path, operation, symbol, lines: range }));
  const tasks = (input.spec?.tasks ?? []).slice(0, TASKS);
  return [
    issueMaterial(input.issue, boundary),
    ...code,
    ...(tasks.length === 0
      ? []
      : [`# Tasks of the spec\n\n${fenceCode("tasks", JSON.stringify(tasks, null, 1), boundary)}`]),
    `# Files that will change\n\n${fenceCode("changes", JSON.stringify(changes, null, 1), boundary)}`,
    `# Commands that a step may have\n\n${fenceCode("commands", commands.join("\n"), boundary)}`,
    treeMaterial(
      files.map(({ path }) => path),
      input.repository_context.file_tree,
      boundary,
    ),
  ].join("\n\n");
}
