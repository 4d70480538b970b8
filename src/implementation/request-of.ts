import type { Issue } from "../domain/issue.ts";
import type { Task } from "../domain/plan.ts";
import type { Run, TaskRequest } from "../domain/work.ts";

/** A task whose request people look at. */
export interface UnderReview {
  issue: Issue;
  task: Task;
  request: TaskRequest;
  /** The newest that brought something to the request. */
  run: Run | null;
}
