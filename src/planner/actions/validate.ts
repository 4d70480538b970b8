import type { Action, ActionBatch, ActionProblem } from "../../domain/action.ts";
import type { BatchState, Complaint, JudgedMessage } from "./batch-state.ts";
import { judgeComment, judgeFindings, judgeLengths } from "./content-rules.ts";
import { judgeLearnings } from "./learning-rules.ts";
import { judgeGaps } from "./gap-rules.ts";
import { judgeHandoff, judgePlace, judgeQuickWay, judgeSignal, newestGoAhead } from "./handoff-rules.ts";
import { judgeQuestions } from "./question-rules.ts";
import { judgeSpec, judgeSpecStatus } from "./spec-rules.ts";
import { type Projection, projectionOf } from "./projection.ts";

/** Room for questions to reporter and assignee, assumptions, the request for a go-ahead, and some replies. */
const COMMENTS_PER_BATCH = 6;
const TOO_MANY_COMMENTS: Complaint = {
  rule: "comment_count",
  detail: `a batch posts at most ${COMMENTS_PER_BATCH} comments; say it in fewer`,
};

/**
 * Validates a whole batch before anything of it runs (R-ACT-2, decision 2). Pure. Without problems, every gap, finding
 * and thread that the batch names exists.
 */
export function validateBatch(batch: ActionBatch, state: BatchState): ActionProblem[] {
  const projection = projectionOf(state);
  const goAhead = newestGoAhead(batch, state);
  const problems: ActionProblem[] = [];
  let comments = 0;
  const complain = (index: number, complaints: Complaint[]) =>
    problems.push(...complaints.map((complaint) => ({ index, ...complaint })));

  for (const [index, action] of batch.actions.entries()) {
    projection.action = index;
    complain(index, judge(action, state, projection, goAhead));
    if (action.type === "post_comment") {
      comments += 1;
      if (comments === COMMENTS_PER_BATCH + 1) complain(index, [TOO_MANY_COMMENTS]);
    }
    complain(index, judgeLengths(action));
  }
  for (const [index, action] of batch.actions.entries()) {
    if (action.type === "ready_for_spec_generation") {
      complain(index, judgeHandoff(projection));
      complain(index, judgeQuickWay(action, projection, batch.actions));
    }
    complain(index, judgePlace(action, batch.actions.slice(0, index), batch.actions));
  }
  problems.push(...judgeQuestions(batch, projection, state));
  return problems.toSorted((a, b) => a.index - b.index);
}

function judge(action: Action, state: BatchState, projection: Projection, goAhead: JudgedMessage | null): Complaint[] {
  switch (action.type) {
    case "post_comment":
      return judgeComment(action, state);
    case "update_findings":
      return judgeFindings(action, projection);
    case "update_gaps":
      return judgeGaps(action.data, projection, goAhead);
    case "update_learnings":
      return judgeLearnings(action, state);
    case "ready_for_spec_generation":
      projection.writesSpec = true;
      return judgeSignal(action, state);
    case "update_spec":
      return judgeSpec(action, projection, state);
    case "set_spec_status":
      return judgeSpecStatus(action, projection, state);
    default:
      return action satisfies never;
  }
}
