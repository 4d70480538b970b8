import type { BatchState } from "../../planner/actions/batch-state.ts";
import { judgeSubmission } from "../../planner/actions/submission.ts";
import { briefingOf, briefingText } from "../../planner/briefing.ts";
import type { CycleContext, Judge } from "../../planner/planner.ts";
import type { Planning } from "./recordings.ts";

/** No model reads the record, so that its fences may be guessed. */
const RECORDED = "0000000000000000";

/** Judges what a planner hands in, and writes down what it saw, what it handed in and how that was judged. */
export function recorder(context: CycleContext, state: BatchState): { judge: Judge; planning: Planning } {
  const answers: Planning["answers"] = [];
  const judge: Judge = (submitted) => {
    const judged = judgeSubmission(submitted, state);
    answers.push({ submitted, problems: judged.kind === "refused" ? judged.problems : [] });
    return judged;
  };
  return { judge, planning: { context, state, prompt: promptOf(context), answers } };
}

/** The context in words, as planners get it, but with the same fences each time. */
export function promptOf(context: CycleContext): string {
  return briefingText(briefingOf(context, { boundary: RECORDED }));
}
