import type { Answer, TriageResult } from "../../domain/plan.ts";
import { systemClock } from "../../lib/clock.ts";
import { SHOWN, type WithWarnings, failure } from "../../plan/answer.ts";
import { triage as triageOf } from "../../plan/triage/triage.ts";
import { readContractInput } from "../input-files.ts";
import { withCode } from "../open-code.ts";
import { type CommonOptions, type Terminal, EXIT } from "../terminal.ts";
import { triageModel } from "../planning-models.ts";

export interface TriageOptions extends CommonOptions {
  input: string;
  repo?: string;
  model?: string;
}

/** What `relay triage` prints. */
export type TriageAnswer = Answer<TriageResult>;

/**
 * `relay triage --input FILE`: the triage contract (R-TRI-1), JSON in and JSON out. Exit code 1 means that the answer
 * has `success: false`. Needs no database; without a model also no network.
 */
export async function triage(options: TriageOptions, terminal: Terminal): Promise<number> {
  const input = await readContractInput(options.input, terminal);
  if (input.kind === "not json")
    return print(failure("INVALID_INPUT", `The input is not JSON: ${input.why}. ${SHOWN}`), terminal);
  const model = await triageModel(options, (why) => terminal.err(`relay: ${why}\n`));
  const result: WithWarnings<TriageResult> =
    options.repo === undefined
      ? await triageOf(input.value, { clock: systemClock, ...model })
      : await withCode(
          options.repo,
          { options, terminal },
          async ({ index }) => await triageOf(input.value, { clock: systemClock, index, ...model }),
        );
  for (const warning of result.warnings) terminal.err(`relay: ${warning}\n`);
  return print(result.answer, terminal);
}

function print(answer: TriageAnswer, terminal: Terminal): number {
  terminal.out(`${JSON.stringify(answer, null, 2)}\n`);
  return answer.success ? EXIT.done : EXIT.negative;
}
