import type { Issue } from "../domain/issue.ts";
import type { Task } from "../domain/plan.ts";
import type { Run } from "../domain/work.ts";
import { record } from "../storage/audit.ts";
import { getIssue, moveIssue } from "../storage/issues.ts";
import { finishRun } from "../storage/runs.ts";
import { moveTask } from "../storage/tasks.ts";
import type { WorkerDeps } from "./worker.ts";

/**
 * Ends a further run before it begins: people took back all that they had asked for, and the issue is in review as it was.
 * For the holder of the issue's lock.
 */
export async function endUnasked(
  { task, issue, run }: { task: Pick<Task, "id">; issue: Issue; run: Run },
  deps: WorkerDeps,
): Promise<void> {
  const { db, clock } = deps;
  const why = "what was asked for was taken back";
  await db.transaction(async (tx) => {
    await finishRun(tx, run.id, { status: "cancelled", detail: why }, clock);
    const after = { run: run.id, status: "cancelled" };
    await record(tx, { issueId: issue.id, actor: "relay", what: "run.ended", why, after }, deps);
    if ((await getIssue(tx, issue.id)).state !== "in_progress") return;
    if (await moveTask(tx, task.id, "running", "done", clock))
      await moveIssue(tx, issue.id, "in_review", { why }, deps);
  });
  await deps.show(issue.id);
  // What else was said to the request meanwhile.
  await deps.jobs.setWake(issue.id, clock.now());
}
