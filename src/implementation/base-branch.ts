import { commitAt } from "../code/git/git.ts";
import type { Repository } from "../code/git/repository.ts";
import { nullIfNotFound } from "../lib/errors.ts";
import { feedbackContents } from "../storage/review-feedback.ts";
import { setRunBase } from "../storage/runs.ts";
import { mergeSubject } from "./run/commit-message.ts";
import { type Conflict, conflictBetween, mergeBaseOf } from "./run/workspace/merge.ts";
import type { Workspace } from "./run/workspace/workspace.ts";
import type { Claim } from "./claim.ts";
import { rulesOf } from "./commit-rules.ts";
import { BASE_PREFIX } from "./feedback.ts";
import type { WorkerDeps } from "./worker.ts";

/** The base branch, and its commit when the run started. */
export interface Base {
  name: string;
  commit: string;
}

/**
 * The base branch has moved. `conflict`: the tree has conflict markers for the agent to resolve. `unmergeable`: an
 * agent cannot resolve the conflict; the tree is unchanged.
 */
export type Moved =
  | { kind: "merged"; base: string }
  | { kind: "conflict"; base: string; conflict: Conflict }
  | { kind: "unmergeable"; base: string; conflict: Conflict };

/**
 * The base of a run's branch: the default branch, or the current base of the pull request. `head` is the head of the
 * branch; if the base branch no longer exists, the merge base is used.
 */
export async function baseOf(
  { run, request, codeHost, issue }: Pick<Claim, "run" | "request" | "codeHost" | "issue">,
  code: Pick<Repository, "gitDirectory" | "commit" | "branch">,
  head: string | null,
): Promise<Base> {
  if (request === null) return { name: code.branch ?? "main", commit: run.base ?? code.commit };
  const opened = await codeHost.getPullRequest(issue.externalProjectId, request.number).catch(nullIfNotFound);
  const name = opened?.base ?? request.base;
  const current = run.base ?? (await commitAt(code.gitDirectory, `refs/heads/${name}`));
  const held = head === null ? null : await mergeBaseOf(code.gitDirectory, code.commit, head);
  return { name, commit: current ?? held ?? code.commit };
}

/**
 * Updates a run's branch after its base has moved (R-WORK-9). An unpublished branch is rebased if that works; a pull
 * request gets a merge commit, which keeps commits and reviews. A conflict that an earlier run already tried is
 * skipped. Null if the run is not affected.
 */
export async function updateToBase(
  base: Base,
  { found, tree, branchAt, source }: { found: Claim; tree: Workspace; branchAt: string | null; source: string },
  { db, settings }: Pick<WorkerDeps, "db" | "settings">,
): Promise<Moved | null> {
  const { run, request, plan, codeHost, issue } = found;
  if (request === null) {
    const isRebased = branchAt === null && (await tree.rebaseOnto(base.commit)).kind === "rebased";
    if (!isRebased) await setRunBase(db, run.id, tree.base);
    return null;
  }
  const conflict = await conflictBetween(source, tree.head(), base.commit);
  if (conflict !== null && (await wasTried(conflict, found, db))) {
    await setRunBase(db, run.id, tree.base);
    return null;
  }
  const { kind } = await tree.mergeIn(base.commit, {
    rules: rulesOf(found, settings),
    message: mergeSubject(base.name, plan.plan.issue_number),
    author: await codeHost.commitAuthor(issue.externalProjectId),
  });
  if (kind === "merged" || conflict === null) return { kind: "merged", base: base.name };
  return { kind, base: base.name, conflict };
}

/** Whether an earlier run of the task tried to resolve this conflict. */
async function wasTried(
  { name }: Conflict,
  { task, words }: Pick<Claim, "task" | "words">,
  db: WorkerDeps["db"],
): Promise<boolean> {
  const id = `${BASE_PREFIX}${name}`;
  return (await feedbackContents(db, task.id)).has(id) && !words.some(({ externalId }) => externalId === id);
}
