import { commitAt, isWithin } from "../code/git/git.ts";
import { issueName } from "../domain/issue.ts";
import { resetIterations, setRunBase } from "../storage/runs.ts";
import { mergeBaseOf } from "./run/workspace/merge.ts";
import { openWorkspace } from "./run/workspace/open.ts";
import { findRunHead } from "./run/workspace/source.ts";
import type { Workspace } from "./run/workspace/workspace.ts";
import { type Moved, baseOf, updateToBase } from "./base-branch.ts";
import type { Claim } from "./claim.ts";
import type { CodeSource, WorkerDeps } from "./worker.ts";

export interface RunTree {
  tree: Workspace;
  /** Head of the remote branch before this run; null if it does not exist yet. */
  branchAt: string | null;
  /** The merge base of branch and base, before any merge; if the base was rewritten, the commit where the run began. */
  fork: string;
  /** The result of updating to a base that has moved; null if it has not, or if this was skipped. */
  moved: Moved | null;
}

/**
 * Opens the working tree of a run: at the head of the default branch; at the head of the pull request's branch,
 * including commits by people; where the run was when its worker died; or where an earlier run asked its question
 * (R-WORK-2, R-WORK-4, R-WORK-8).
 */
export async function openTree(found: Claim, { code }: CodeSource, deps: WorkerDeps): Promise<RunTree> {
  const { run, issue } = found;
  const source = code.gitDirectory;
  const branchAt = await remoteHead(found, source);
  const kept = await localHead(found, source, branchAt);
  // The commits are on another machine, or people have pushed to the branch since: redo the iterations.
  if (run.iterations > 0 && kept === null && (branchAt === null || branchAt !== run.head)) {
    await resetIterations(deps.db, run.id);
  }
  const resumeFrom = kept ?? branchAt;
  const base = await baseOf(found, code, resumeFrom);
  const head = resumeFrom ?? base.commit;
  const fork =
    (await rewrittenBase(found, { source, base: base.commit, head })) ??
    (await mergeBaseOf(source, base.commit, head)) ??
    base.commit;
  // Store the target base, so that a resumed run uses the same.
  if (run.base === null) await setRunBase(deps.db, run.id, base.commit);
  const tree = await openWorkspace(
    {
      home: deps.home,
      run: run.id,
      source,
      commit: fork,
      ...(resumeFrom === null ? {} : { resumeFrom }),
      cacheKey: issueName({ ...issue, externalIssueId: "0" }),
    },
    deps,
  );
  const moved = fork === base.commit ? null : await updateToBase(base, { found, tree, branchAt, source }, deps);
  return { tree, branchAt, fork, moved };
}

/**
 * Head of the remote branch if it belongs to the task: the task has a request, or this run pushed it before a crash.
 */
async function remoteHead({ run, request }: Claim, source: string): Promise<string | null> {
  const at = await commitAt(source, `refs/heads/${run.branch}`);
  return request !== null || at === run.head ? at : null;
}

/**
 * The newest commit of the run, or of an earlier run that waited for an answer; null if this machine has none, or if it
 * lacks commits of the remote branch. An unrecorded commit for a pull request is redone: it may be an unchecked merge.
 */
async function localHead(
  { run, earlier, request }: Claim,
  source: string,
  branchAt: string | null,
): Promise<string | null> {
  const waited = earlier.findLast(({ status }) => status !== "cancelled");
  const before = waited?.status === "stuck" ? waited : null;
  const own = await findRunHead(source, run.id);
  const recorded = own === null || request === null ? own : run.head;
  const earlierHead = recorded ?? (before && (await findRunHead(source, before.id)));
  const kept = earlierHead ?? (own === null ? null : branchAt);
  if (kept === null || branchAt === null) return kept;
  return (await isWithin(source, branchAt, kept)) ? kept : null;
}

/**
 * Where the run, or the run that it continues, began, if the base has lost that commit since: not every commit before
 * it is the run's own.
 */
async function rewrittenBase(
  { run, earlier, request }: Claim,
  { source, base, head }: { source: string; base: string; head: string },
): Promise<string | null> {
  const begun = run.base ?? earlier.findLast(({ status }) => status === "stuck")?.base ?? null;
  if (request !== null || begun === null || begun === base) return null;
  return (await isWithin(source, begun, head)) && !(await isWithin(source, begun, base)) ? begun : null;
}
