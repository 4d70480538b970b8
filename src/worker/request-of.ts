import type { Issue } from "../domain/issue.ts";
import type { Task } from "../domain/plan.ts";
import type { Run, TaskRequest } from "../domain/work.ts";

/** A task whose request people look at. */
export interface UnderReview {
  issue: Issue;
  task: Task;
  request: TaskRequest;
  /** The newest. */
  run: Run | null;
}

/** How people name a request. */
export function nameOf({ url, number }: Pick<TaskRequest, "url" | "number">, { provider }: Pick<Issue, "provider">) {
  return url ?? `${provider === "gitlab" ? "!" : "#"}${number}`;
}
