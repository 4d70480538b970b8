import type { BatchState } from "../../planner/actions/batch-state.ts";
import { judgeSubmission } from "../../planner/actions/submission.ts";
import { briefingOf, briefingText } from "../../planner/briefing.ts";
import type { CycleContext, Judge } from "../../planner/planner.ts";
import type { Planning } from "./recordings.ts";

/** Recordings never reach a model, so a fixed boundary is fine. */
const RECORDED = "0000000000000000";

/** Judges a planner's submissions and records what it saw, what it submitted and the verdicts. */
export function recorder(context: CycleContext, state: BatchState): { judge: Judge; planning: Planning } {
  const answers: Planning["answers"] = [];
  const judge: Judge = (submitted) => {
    const judged = judgeSubmission(submitted, state);
    answers.push({ submitted, problems: judged.kind === "refused" ? judged.problems : [] });
    return judged;
  };
  return { judge, planning: { context, state, prompt: promptOf(context), answers } };
}

/** The rendered context, as planners get it, but with a fixed boundary. */
function promptOf(context: CycleContext): string {
  return briefingText(briefingOf(context, { boundary: RECORDED }));
}
