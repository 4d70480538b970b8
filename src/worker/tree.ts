import { git } from "../explore/git.ts";
import { issueName } from "../domain/issue.ts";
import { forgetIterations, setRunBase } from "../store/runs.ts";
import { openWorkspace } from "../work/workspace/open.ts";
import { findRunHead } from "../work/workspace/source.ts";
import type { Workspace } from "../work/workspace/workspace.ts";
import type { Claim } from "./claim.ts";
import type { CodeSource, WorkerDeps } from "./worker.ts";

export interface RunTree {
  tree: Workspace;
  /** Where the branch is at its tracker before this run; null where it is not there yet. */
  branchAt: string | null;
}

/**
 * The working tree of a run: at the head of the default branch, at that of the request's branch where there is one,
 * with what people have put on it since, or where the run was when its worker died (R-WORK-2, R-WORK-8).
 */
export async function openTree(found: Claim, { code }: CodeSource, deps: WorkerDeps): Promise<RunTree> {
  const { run, issue, request } = found;
  const source = code.gitDirectory;
  const branchAt = request === null ? null : await commitOf(source, `refs/heads/${run.branch}`);
  const base = run.base ?? (await baseOf(source, code.commit, branchAt));
  if (run.base === null) await setRunBase(deps.db, run.id, base);
  const kept = await findRunHead(source, run.id);
  // The commits are with the worker that died, on another machine: what they were made of is done once more.
  if (run.iterations > 0 && kept === null) await forgetIterations(deps.db, run.id);
  const resumeFrom = kept ?? branchAt;
  const tree = await openWorkspace(
    {
      home: deps.home,
      run: run.id,
      source,
      commit: base,
      ...(resumeFrom === null ? {} : { resumeFrom }),
      cacheKey: issueName({ ...issue, externalIssueId: "0" }),
    },
    deps,
  );
  return { tree, branchAt };
}

async function baseOf(source: string, head: string, branchAt: string | null): Promise<string> {
  if (branchAt === null) return head;
  const { code, stdout } = await git(source, ["merge-base", head, branchAt]);
  return code === 0 ? stdout.toString("utf8").trim() : head;
}

/** Null where there is no such ref. */
async function commitOf(source: string, ref: string): Promise<string | null> {
  const { code, stdout } = await git(source, [
    "rev-parse",
    "--verify",
    "--quiet",
    "--end-of-options",
    `${ref}^{commit}`,
  ]);
  return code === 0 ? stdout.toString("utf8").trim() : null;
}
