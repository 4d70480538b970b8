import { code } from "../domain/text/comment-markdown.ts";
import { issueName } from "../domain/issue.ts";
import { phrases } from "../i18n/phrases.ts";
import { nameOf } from "../notify/request-name.ts";
import { RelayError } from "../lib/errors.ts";
import { markFeedbackAnswered, recordFeedback } from "../storage/review-feedback.ts";
import type { Db } from "../storage/db.ts";
import { resetIterations, moveHead, setRunBase } from "../storage/runs.ts";
import type { LoopResult } from "./run/work-order.ts";
import { dropRunHead } from "./run/workspace/source.ts";
import type { Moved } from "./base-branch.ts";
import type { Claim } from "./claim.ts";
import { endInReview, tell } from "./outcomes.ts";
import type { RunTree } from "./worktree.ts";
import { conflictFeedback } from "./feedback.ts";
import type { CodeSource, WorkerDeps } from "./worker.ts";

type Unresolved = Exclude<Moved, { kind: "merged" }>;

/**
 * Ends a run that only resolves a conflict, if the conflict is gone or people must resolve it; true if it ended. Other
 * runs continue without the base.
 */
export async function endIfUnneeded(found: Claim, opened: RunTree, deps: WorkerDeps): Promise<boolean> {
  const { tree, branchAt, fork, moved } = opened;
  if (moved?.kind === "unmergeable") {
    await leaveToPeople(found, moved, deps, async (tx) => await setRunBase(tx, found.run.id, fork));
  }
  if (found.run.reason !== "conflict" || found.changeRequests.length > 0) return false;
  // Resolved before a crash: only delivery is left.
  if (moved?.kind === "conflict" || (moved === null && tree.head() !== branchAt)) return false;
  const ending =
    moved?.kind === "unmergeable"
      ? ({ run: "failed", why: reasonOf(moved) } as const)
      : ({ run: "done", why: "the branch goes together with its base" } as const);
  await endUnchanged(found, opened, ending, deps);
  return true;
}

/**
 * Leaves an unresolved merge to people and comments once on what to do; true if that ends the run. A run with change
 * requests starts again without the base: throws `conflict`, retryable.
 */
export async function endIfUnmergeable(
  found: Claim,
  result: LoopResult,
  { source, ...opened }: RunTree & { source: CodeSource },
  deps: WorkerDeps,
): Promise<boolean> {
  const { tree, fork, moved } = opened;
  if (result.kind !== "no progress" && result.kind !== "limit") return false;
  if (moved?.kind !== "conflict" || tree.unresolved().length === 0) return false;
  if (found.changeRequests.length === 0) {
    await leaveToPeople(found, moved, deps);
    await endUnchanged(found, opened, { run: "failed", why: reasonOf(moved) }, deps);
    return true;
  }
  const { run, issue } = found;
  await leaveToPeople(found, moved, deps, async (tx) => {
    await setRunBase(tx, run.id, fork);
    await resetIterations(tx, run.id);
  });
  await dropRunHead(source.code.gitDirectory, run.id);
  throw new RelayError("conflict", `the run for ${issueName(issue)} starts again without ${moved.base}`, {
    retryable: true,
  });
}

/** Posts the comment first, since a retry finds it after a crash; then marks the conflict, and `also`, as tried. */
async function leaveToPeople(
  found: Claim,
  { base, conflict }: Unresolved,
  deps: WorkerDeps,
  also?: (tx: Db) => Promise<void>,
): Promise<void> {
  const { issue, task, request, run } = found;
  const { db, clock } = deps;
  const say = phrases("work", issue.language);
  const name = request === null ? run.branch : nameOf(request, issue);
  const words = [
    say("conflict", { request: name, base: code(base, LONGEST_PATH) }),
    listed(conflict.files),
    say("conflict_left", { base: code(base, LONGEST_PATH), branch: code(run.branch, LONGEST_PATH) }),
  ].join("\n\n");
  const comment = { key: `conflict:${task.id}:${conflict.name}`, words, why: `the branch conflicts with ${base}` };
  await tell(found, comment, deps);
  const word = conflictFeedback(base, conflict, clock.now());
  await db.transaction(async (tx) => {
    await recordFeedback(tx, task.id, [word], null);
    await markFeedbackAnswered(tx, task.id, [word.externalId]);
    await also?.(tx);
  });
}

/** Ends the run; the branch and the pull request stay as they are. */
async function endUnchanged(
  found: Claim,
  { branchAt, fork }: Pick<RunTree, "branchAt" | "fork">,
  ending: { run: "done" | "failed"; why: string },
  deps: WorkerDeps,
): Promise<void> {
  const { run, task, issue, words } = found;
  const ids = words.map(({ externalId }) => externalId);
  if (branchAt !== null) await moveHead(deps.db, run.id, branchAt);
  await setRunBase(deps.db, run.id, fork);
  await markFeedbackAnswered(deps.db, task.id, ids);
  await endInReview(found, ending, deps);
  // Handle events on the request that arrived during the run.
  await deps.jobs.setWake(issue.id, 0);
}

function reasonOf({ base, conflict: { files } }: Unresolved): string {
  return `conflicts with ${base} in ${files.slice(0, MOST_LISTED).join(", ")}`.slice(0, LONGEST_REASON).toWellFormed();
}

const MOST_LISTED = 20;
const LONGEST_REASON = 1_000;
const LONGEST_PATH = 300;

function listed(files: readonly string[]): string {
  const more = files.length > MOST_LISTED ? [`- … (${files.length})`] : [];
  return [...files.slice(0, MOST_LISTED).map((file) => `- ${code(file, LONGEST_PATH)}`), ...more].join("\n");
}
