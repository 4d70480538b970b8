import type { ActionBatch } from "../../domain/action.ts";
import type { CycleContext, Judge, Judged } from "../planner.ts";
import type { Evidence } from "./evidence.ts";
import { houseProblems, withEvidence } from "./house-rules.ts";

/**
 * Judges what a model hands in by the rules of actions and those of the house together, as there are two rounds of
 * mending only. On the last try, places that nothing verified are left out rather than the cycle lost.
 */
export function strictJudge(
  judge: Judge,
  given: { context: CycleContext; evidence: Evidence; isLastTry: () => boolean },
): Judge {
  return (submitted) => {
    const judged = byAllRules(judge, submitted, given);
    if (judged.kind === "accepted" || judged.batch === null || !given.isLastTry()) return judged;
    const { batch, dropped } = withEvidence(judged.batch, given.evidence);
    if (dropped === 0) return judged;
    const reasoning = `${batch.reasoning} (${dropped} cited places that nothing verified were left out)`;
    const again = byAllRules(judge, { ...batch, reasoning }, given);
    return again.kind === "accepted" ? again : judged;
  };
}

function byAllRules(
  judge: Judge,
  submitted: unknown,
  { context, evidence }: { context: CycleContext; evidence: Evidence },
): Judged {
  const judged = judge(submitted);
  if (judged.batch === null) return judged;
  const broken = judged.kind === "refused" ? judged.problems : [];
  const problems = [...broken, ...houseProblems(judged.batch, { context, evidence })];
  if (problems.length > 0) return refusedFor(problems, judged.batch);
  return { kind: "accepted", batch: withEvidence(judged.batch, evidence).batch };
}

function refusedFor(problems: Extract<Judged, { kind: "refused" }>["problems"], batch: ActionBatch): Judged {
  return { kind: "refused", problems: problems.toSorted((a, b) => a.index - b.index), batch };
}
