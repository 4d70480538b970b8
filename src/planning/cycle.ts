import type { ActionBatch, ActionProblem } from "../domain/action.ts";
import type { CycleContext, Planner } from "./planner.ts";

/** Rounds in which a planner may mend what the validator refused (R-ACT-2). */
const MENDING_ROUNDS = 2;

export type PlannedCycle =
  | { kind: "planned"; batch: ActionBatch }
  /** Still refused after two rounds of mending. */
  | { kind: "refused"; problems: ActionProblem[] };

/** Asks the planner for actions until the validator takes them (R-PLAN-1, R-ACT-2). Nothing is carried out here. */
export async function planCycle(
  context: CycleContext,
  { planner, validate }: { planner: Planner; validate: (batch: ActionBatch) => ActionProblem[] },
): Promise<PlannedCycle> {
  let problems: ActionProblem[] = [];
  for (let round = 0; round <= MENDING_ROUNDS; round += 1) {
    const batch = await planner.plan(context, problems);
    problems = validate(batch);
    if (problems.length === 0) return { kind: "planned", batch };
  }
  return { kind: "refused", problems };
}
