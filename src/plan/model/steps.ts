import type { Failure } from "../answer.ts";
import type { DraftStep, PlannedFile } from "../change-steps.ts";
import type { PlanInput } from "../input.ts";

/** What a model plans from. */
export interface StepsWanted {
  input: PlanInput;
  files: readonly PlannedFile[];
  /** The only commands that a step may have. */
  commands: readonly string[];
  /** At most so many steps. */
  most: number;
}

export type StepsFromModel =
  | { kind: "planned"; steps: DraftStep[]; summaries: ReadonlyMap<string, string> }
  | { kind: "failed"; failure: Failure };

export type AskForSteps = (wanted: StepsWanted) => Promise<StepsFromModel>;
