import { REPOSITORY_FILE } from "../../config/repository-file.ts";
import type { FixPlan, TriageResult } from "../../domain/plan.ts";
import { systemClock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import { type WithWarnings, failure } from "../../plan/answer.ts";
import { conventionsOf } from "../../code/conventions/conventions.ts";
import { fixPlan } from "../../plan/fix-plan.ts";
import { repositoryContext } from "../../plan/repository-context.ts";
import { triage } from "../../plan/triage/triage.ts";
import { settingsFrom } from "../../app/repository-settings.ts";
import { readContractInput, readIssueSource } from "../input-files.ts";
import { planText } from "../plan-text.ts";
import { withCode } from "../open-code.ts";
import { planModel, triageModel } from "../planning-models.ts";
import { type CommonOptions, type Terminal, EXIT } from "../terminal.ts";

export interface PlanOptions extends CommonOptions {
  input?: string;
  repo?: string;
  model?: string;
}

/**
 * `relay plan --input FILE`: the fix plan contract (R-FIX-1 to 8), JSON in and JSON out. `relay plan SOURCE --repo DIR`
 * builds the input itself: the issue from a file, triage and conventions from the repository. Exit code 1 means that
 * the answer has `success: false`. Needs no database; without a model also no network.
 */
export async function plan(source: string | undefined, options: PlanOptions, terminal: Terminal): Promise<number> {
  if (options.input !== undefined) {
    if (source !== undefined) throw new RelayError("usage", "give either an issue or --input, not both");
    return await planOfInput(options.input, options, terminal);
  }
  if (source === undefined)
    throw new RelayError("usage", "give an issue file, or the contract's input with --input FILE");
  const { issue } = await readIssueSource(source, terminal);
  return await withCode(options.repo ?? ".", { options, terminal }, async (code) => {
    const repository_context = await repositoryContext("local", code.repository, code.index);
    const wire = {
      number: issue.number ?? 1,
      title: issue.title,
      body: issue.body,
      author: { login: issue.author },
      labels: issue.labels,
      created_at: (issue.createdAt ?? systemClock.now()).toISOString(),
    };
    const deps = { clock: systemClock, index: code.index };
    const read = async () => await code.repository.readFile(REPOSITORY_FILE);
    const settings = await settingsFrom(read, { mode: code.config.mode, fastTrack: code.config.approval.fast_track });
    if (settings.problem !== null) terminal.err(`relay: ${settings.problem}\n`);
    const triaged = await triage({ issue: wire, repository_context }, { ...deps, ...(await triageModel(options)) });
    if (!triaged.answer.success) return print(triaged, null, { options, terminal });
    const result = await fixPlan(
      {
        issue: wire,
        triage_result: triaged.answer.data,
        repository_context,
        conventions: await conventionsOf(code.repository, settings.conventions),
      },
      { ...deps, ...(await planModel(options)) },
    );
    return print(result, triaged.answer.data, { options, terminal });
  });
}

async function planOfInput(source: string, options: PlanOptions, terminal: Terminal): Promise<number> {
  const input = await readContractInput(source, terminal);
  if (input.kind === "not json") {
    const answer = failure("INVALID_INPUT", `The input is not JSON: ${input.why}`);
    return print({ answer, warnings: [] }, null, { options, terminal });
  }
  const deps = { clock: systemClock, ...(await planModel(options)) };
  const result =
    options.repo === undefined
      ? await fixPlan(input.value, deps)
      : await withCode(
          options.repo,
          { options, terminal },
          async ({ index }) => await fixPlan(input.value, { ...deps, index }),
        );
  return print(result, null, { options, terminal });
}

/** Readable text if the command found everything by itself and JSON was not requested; otherwise the JSON contract. */
function print(
  result: WithWarnings<FixPlan> | WithWarnings<TriageResult>,
  triaged: TriageResult | null,
  { options, terminal }: { options: PlanOptions; terminal: Terminal },
): number {
  for (const warning of result.warnings) terminal.err(`relay: ${warning}\n`);
  const { answer } = result;
  const forPeople = options.json !== true && options.input === undefined;
  if (!answer.success) {
    if (forPeople) terminal.err(`relay: ${answer.error.message}\n`);
    else terminal.out(`${JSON.stringify(answer, null, 2)}\n`);
    return EXIT.negative;
  }
  terminal.out(
    forPeople && triaged !== null && "plan_steps" in answer.data
      ? planText({ triage: triaged, plan: answer.data })
      : `${JSON.stringify(answer, null, 2)}\n`,
  );
  return EXIT.done;
}
