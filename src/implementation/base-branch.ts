import { commitAt } from "../code/git/git.ts";
import type { Repository } from "../code/git/repository.ts";
import { RelayError } from "../lib/errors.ts";
import { feedbackContents } from "../storage/change-requests.ts";
import { setRunBase } from "../storage/runs.ts";
import { mergeSubject } from "./run/commit-message.ts";
import type { Conflict } from "./run/workspace/merge.ts";
import { conflictBetween, mergeBaseOf } from "./run/workspace/merge.ts";
import type { Workspace } from "./run/workspace/workspace.ts";
import type { Claim } from "./claim.ts";
import { authorOf, rulesOf } from "./rules.ts";
import { BASE_PREFIX } from "./feedback.ts";
import type { WorkerDeps } from "./worker.ts";

/** The branch that the work is to go into, and where it was when the run began. */
export interface Base {
  name: string;
  commit: string;
}

/**
 * A base that had moved. `conflict`: marks in the tree wait for the agent. `unmergeable`: no agent can bring the two together,
 * and the tree is as it was.
 */
export type Moved =
  | { kind: "merged"; base: string }
  | { kind: "conflict"; base: string; conflict: Conflict }
  | { kind: "unmergeable"; base: string; conflict: Conflict };

/**
 * What the run's branch is to hold: the head of the default branch, or of the one that people have the request go into
 * now. `head` is where the branch is; where its base is gone, so much as it holds already.
 */
export async function baseOf(
  { run, request, codeHost, issue }: Pick<Claim, "run" | "request" | "codeHost" | "issue">,
  code: Pick<Repository, "gitDirectory" | "commit" | "branch">,
  head: string | null,
): Promise<Base> {
  if (request === null) return { name: code.branch ?? "main", commit: run.base ?? code.commit };
  const opened = await codeHost.getPullRequest(issue.externalProjectId, request.number).catch(nullIfGone);
  const name = opened?.base ?? request.base;
  const there = run.base ?? (await commitAt(code.gitDirectory, `refs/heads/${name}`));
  const held = head === null ? null : await mergeBaseOf(code.gitDirectory, code.commit, head);
  return { name, commit: there ?? held ?? code.commit };
}

/**
 * Brings a base that has moved into a run's branch (R-WORK-9). What nobody has seen is put on the new base, as long as it
 * fits there; a request gets a merge, so that nobody's commits and review are lost. A conflict that was tried before is
 * left out: it would end like that again. Null where nothing was brought in that the run has to know of.
 */
export async function takeIn(
  base: Base,
  { found, tree, branchAt, source }: { found: Claim; tree: Workspace; branchAt: string | null; source: string },
  { db, settings }: Pick<WorkerDeps, "db" | "settings">,
): Promise<Moved | null> {
  const { run, request, plan, codeHost } = found;
  if (request === null) {
    const fits = branchAt === null && (await tree.rebaseOnto(base.commit)).kind === "rebased";
    if (!fits) await setRunBase(db, run.id, tree.base);
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
    author: authorOf(codeHost.bot),
  });
  if (kind === "merged" || conflict === null) return { kind: "merged", base: base.name };
  return { kind, base: base.name, conflict };
}

/** Whether an earlier run of the task has tried to bring these files together; one that is to try it now does not count. */
async function wasTried(
  { name }: Conflict,
  { task, words }: Pick<Claim, "task" | "words">,
  db: WorkerDeps["db"],
): Promise<boolean> {
  const id = `${BASE_PREFIX}${name}`;
  return (await feedbackContents(db, task.id)).has(id) && !words.some(({ externalId }) => externalId === id);
}

function nullIfGone(error: unknown): null {
  if (error instanceof RelayError && error.code === "not_found") return null;
  throw error;
}
