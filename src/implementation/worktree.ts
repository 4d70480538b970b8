import { commitAt, git } from "../code/git/git.ts";
import { issueName } from "../domain/issue.ts";
import { resetIterations, setRunBase } from "../storage/runs.ts";
import { mergeBaseOf } from "./run/workspace/merge.ts";
import { openWorkspace } from "./run/workspace/open.ts";
import { findRunHead } from "./run/workspace/source.ts";
import type { Workspace } from "./run/workspace/workspace.ts";
import type { Moved } from "./base-branch.ts";
import { baseOf, takeIn } from "./base-branch.ts";
import type { Claim } from "./claim.ts";
import type { CodeSource, WorkerDeps } from "./worker.ts";

export interface RunTree {
  tree: Workspace;
  /** Where the branch is at its tracker before this run; null where it is not there yet. */
  branchAt: string | null;
  /** Where the branch left its base, before anything was brought in. */
  fork: string;
  /** What came of a base that has moved since the branch left it; null where it has not, or is left out. */
  moved: Moved | null;
}

/**
 * The working tree of a run: at the head of the default branch, at that of the request's branch where there is one,
 * with what people have put on it since, where the run was when its worker died, or where one before it had a question
 * (R-WORK-2, R-WORK-4, R-WORK-8).
 */
export async function openTree(found: Claim, { code }: CodeSource, deps: WorkerDeps): Promise<RunTree> {
  const { run, issue } = found;
  const source = code.gitDirectory;
  const branchAt = await branchOf(found, source);
  const kept = await keptOf(found, source, branchAt);
  // The commits are with the worker that died, on another machine, or somebody has put others on the branch since: what
  // they were made of is done once more.
  if (run.iterations > 0 && kept === null && (branchAt === null || branchAt !== run.head)) {
    await resetIterations(deps.db, run.id);
  }
  const resumeFrom = kept ?? branchAt;
  const base = await baseOf(found, code, resumeFrom);
  const head = resumeFrom ?? base.commit;
  const fork = (await mergeBaseOf(source, base.commit, head)) ?? base.commit;
  // What the branch is to hold in the end, also where a crash comes in between.
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
  const moved = fork === base.commit ? null : await takeIn(base, { found, tree, branchAt, source }, deps);
  return { tree, branchAt, fork, moved };
}

/**
 * Where the branch is, as far as it is the task's: once the request is there, or where this run has pushed it and died
 * before it could open one.
 */
async function branchOf({ run, request }: Claim, source: string): Promise<string | null> {
  const at = await commitAt(source, `refs/heads/${run.branch}`);
  return request !== null || at === run.head ? at : null;
}

/**
 * The newest commit of the run, or of one before it that waited for an answer; null where there is none on this machine,
 * or where it does not hold what is on the branch by now. A commit on a request's branch that was not recorded is made
 * once more: it may be a merge whose checks nobody has seen.
 */
async function keptOf(
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
  const { code } = await git(source, ["merge-base", "--is-ancestor", branchAt, kept]);
  return code === 0 ? kept : null;
}
