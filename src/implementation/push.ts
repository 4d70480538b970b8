import { pushBranch, pushLocal } from "../code/mirror/push.ts";
import type { Pushed } from "../code/mirror/push.ts";
import { issueName } from "../domain/issue.ts";
import { RelayError } from "../lib/errors.ts";
import { forgetIterations } from "../storage/runs.ts";
import { dropRunHead } from "./run/workspace/source.ts";
import type { Claim } from "./claim.ts";
import type { CodeSource, WorkerDeps } from "./worker.ts";

/**
 * Brings the run's commits to the branch at its tracker, only from where this run found the branch (R-WORK-8). Where
 * somebody else put commits on it meanwhile, the run begins once more from those, and nothing of theirs is lost.
 */
export async function pushRun(
  { run, issue }: Claim,
  { source, branchAt, head }: { source: CodeSource; branchAt: string | null; head: string },
  deps: WorkerDeps,
): Promise<void> {
  const { code, remote } = source;
  const push = { directory: code.gitDirectory, commit: head, branch: run.branch, expected: branchAt };
  const pushed: Pushed =
    remote === null
      ? await pushLocal(code.gitDirectory, push)
      : await pushBranch({ url: remote.url, ...(remote.credential && { credential: remote.credential }) }, push);
  if (pushed.kind !== "rejected") return;
  deps.log.warn({ issue: issueName(issue), run: run.id, why: pushed.why, detail: pushed.detail }, "not pushed");
  if (pushed.why !== "moved" || branchAt === null) {
    throw new RelayError("conflict", `${pushed.detail}; remove or unprotect the branch, then try the task again`);
  }
  await forgetIterations(deps.db, run.id);
  await dropRunHead(code.gitDirectory, run.id);
  throw new RelayError("conflict", `somebody pushed to ${run.branch}; the run begins once more`, { retryable: true });
}
