import type { Planner, PlannerRun } from "./planner.ts";

/**
 * Lets the rules plan where the model could not, for a passing reason or a lasting one. What the model took stays on
 * the record, and the reasoning says who planned. What was refused is no reason: the rules would have to say the same.
 */
export function thenOffline(planner: Planner, rules: Planner): Planner {
  return {
    name: planner.name,
    plan: async (context, judge) => {
      const first = await planner.plan(context, judge);
      if (first.kind !== "unable") return first;
      const second = await rules.plan(context, judge);
      const run = first.run === null ? null : tookOver(first.run, rules.name);
      if (second.kind !== "planned") return { ...second, run };
      const reasoning = `planned by the rules, as ${planner.name} failed (${first.why}): ${second.batch.reasoning}`;
      return { kind: "planned", batch: { ...second.batch, reasoning }, run };
    },
  };
}

function tookOver(run: PlannerRun, by: string): PlannerRun {
  return { ...run, model: by, fellBackFrom: [...run.fellBackFrom, run.model] };
}
