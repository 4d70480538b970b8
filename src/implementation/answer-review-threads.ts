import { originsIn } from "../notify/link-origins.ts";
import { staysNeutral } from "../domain/confidential.ts";
import { issueName } from "../domain/issue.ts";
import type { IterationFacts } from "../domain/work.ts";
import { git } from "../code/git/git.ts";
import { onlyAsks } from "./pull-request/asks-for-work.ts";
import { answerThreads, type Outcome } from "./pull-request/thread-answers.ts";
import { changedLines, type ChangedLines } from "./pull-request/changed-lines.ts";
import { runFacts } from "../storage/runs.ts";
import type { LoopResult } from "./run/work-order.ts";
import type { Claim } from "./claim.ts";
import { requestPosts } from "./request-posts.ts";
import type { CodeSource, WorkerDeps } from "./worker.ts";

interface Delivered {
  source: CodeSource;
  /** Head of the branch before and after the run. */
  branchAt: string | null;
  head: string;
  /** Number of the pull request. */
  number: number;
}

type Done = Extract<LoopResult, { kind: "done" }>;

/** Answers each thread with a change request: what the run changed for it (R-WORK-9). */
export async function answerReview(
  found: Claim,
  result: Done,
  { source, branchAt, head, number }: Delivered,
  deps: WorkerDeps,
): Promise<void> {
  const { run, issue, codeHost, earlier } = found;
  const { iterations } = await runFacts(deps.db, run.id);
  // Pushed before a crash: the branch is already at the run's head.
  const before = branchAt === head ? (earlier.findLast(({ status }) => status === "done")?.head ?? null) : branchAt;
  const changes = await changesOf(source.code.gitDirectory, before, head);
  const isChanged = changes === null || changes.length > 0;
  const red = result.checks.filter(
    ({ outcome, command }) => outcome !== "passed" && !result.redBefore.includes(command),
  );
  const posts = requestPosts(deps, issue, { number, why: () => `the ${run.reason} was worked on` });
  const unanswered = await answerThreads(
    {
      runId: run.id,
      project: issue.externalProjectId,
      number,
      language: issue.language,
      commit: isChanged ? head : null,
      changes,
      red: red.map(({ command }) => command),
      outcomes: outcomesOf(found, iterations, { summary: result.summary, changed: isChanged }),
    },
    {
      codeHost,
      calledAs: [codeHost.bot, ...codeHost.calledAs],
      posts,
      origins: async (said) => await originsIn(said, issue, { db: deps.db, tracker: codeHost }),
    },
  );
  for (const { threadId, why } of unanswered) {
    deps.log.warn({ issue: issueName(issue), thread: threadId, why }, "thread not answered");
  }
}

/** The run's summary answers a thread only if it is the only thread, or if nothing changed. */
function outcomesOf(
  { changeRequests, issue }: Claim,
  iterations: readonly IterationFacts[],
  { summary, changed }: { summary: string; changed: boolean },
): Outcome[] {
  const byThread = new Map(
    iterations.flatMap(({ agent }) => agent?.answers ?? []).map(({ threadId, text }) => [threadId, text]),
  );
  const ofRun = summary !== "" && (changeRequests.length === 1 || !changed) ? summary : null;
  // The agent has read the issue and may quote it.
  const said = (threadId: string) => (staysNeutral(issue) ? null : (byThread.get(threadId) ?? ofRun));
  return changeRequests.flatMap(({ threadId, path, text }) =>
    threadId === null ? [] : [{ threadId, path, isQuestion: onlyAsks(text), text: said(threadId) }],
  );
}

const MOST_PATCH_BYTES = 4 * 1024 * 1024;

/**
 * The run's own changes to the branch, without those merged from the base. For a merge commit, only what differs from
 * git's automatic result. Null if git fails or the result is too large.
 */
async function changesOf(directory: string, before: string | null, head: string): Promise<ChangedLines[] | null> {
  if (before === null) return null;
  const range = `${before}..${head}`;
  const merges = await git(directory, ["rev-list", "--count", "--merges", "--first-parent", range]);
  if (merges.code !== 0) return null;
  const options = ["--no-ext-diff", "--no-textconv", "--no-renames", "--unified=0"];
  // A single diff over all commits: later commits may move or revert what earlier ones did.
  const command =
    merges.stdout.toString("utf8").trim() === "0"
      ? ["diff", ...options, before, head]
      : ["log", "--patch", "--format=", "--first-parent", "--remerge-diff", ...options, range];
  const found = await git(directory, command, { maxBytes: MOST_PATCH_BYTES });
  return found.code === 0 && !found.truncated ? changedLines(found.stdout.toString("utf8")) : null;
}
