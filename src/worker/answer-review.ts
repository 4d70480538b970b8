import { issueName } from "../domain/issue.ts";
import type { IterationFacts } from "../domain/work.ts";
import { git } from "../explore/git.ts";
import { answerThreads } from "../review/answers.ts";
import type { Outcome } from "../review/answers.ts";
import { changedPlaces } from "../review/places.ts";
import type { ChangedPlace } from "../review/places.ts";
import { runFacts } from "../store/runs.ts";
import type { LoopResult } from "../work/order.ts";
import type { Claim } from "./claim.ts";
import type { CodeSource, WorkerDeps } from "./worker.ts";

type Done = Extract<LoopResult, { kind: "done" }>;

/** Answers each thread that asked for something for what was asked there: what the run changed, by its commits (R-WORK-9). */
export async function answerReview(
  found: Claim,
  result: Done,
  { source, head, number }: { source: CodeSource; head: string; number: number },
  deps: WorkerDeps,
): Promise<void> {
  const { run, issue, tracker } = found;
  const { iterations } = await runFacts(deps.db, run.id);
  const commits = iterations.filter(({ commit }) => commit !== null).length;
  const red = result.checks.filter(
    ({ outcome, command }) => outcome !== "passed" && !result.redBefore.includes(command),
  );
  const unanswered = await answerThreads(
    {
      runId: run.id,
      project: issue.externalProjectId,
      number,
      language: issue.language,
      commit: commits === 0 ? null : { sha: head, url: null },
      changes: commits === 0 ? [] : await changesOf(source.code.gitDirectory, head, commits),
      red: red.map(({ command }) => command),
      outcomes: outcomesOf(found, iterations, { summary: result.summary, changed: commits > 0 }),
    },
    { tracker, calledAs: [tracker.bot, ...tracker.calledAs] },
  );
  for (const { threadId, why } of unanswered) {
    deps.log.warn({ issue: issueName(issue), thread: threadId, why }, "thread not answered");
  }
}

/** What was said of the whole run answers a thread only where it is alone, or tells why nothing was changed. */
function outcomesOf(
  { wishes }: Claim,
  iterations: readonly IterationFacts[],
  { summary, changed }: { summary: string; changed: boolean },
): Outcome[] {
  const said = new Map(iterations.flatMap(({ agent }) => agent?.answers ?? []).map(({ wish, text }) => [wish, text]));
  const ofRun = summary !== "" && (wishes.length === 1 || !changed) ? summary : null;
  return wishes.flatMap(({ threadId, path }, at) =>
    threadId === null ? [] : [{ threadId, path, text: said.get(at + 1) ?? ofRun }],
  );
}

const MOST_PATCH_BYTES = 4 * 1024 * 1024;

/** What the newest commits changed, those of this run; null where git cannot tell, or tells too much. */
async function changesOf(directory: string, head: string, commits: number): Promise<ChangedPlace[] | null> {
  const options = ["--no-ext-diff", "--no-textconv", "--no-renames", "--unified=0"];
  const found = await git(directory, ["diff", ...options, `${head}~${commits}`, head], { maxBytes: MOST_PATCH_BYTES });
  return found.code === 0 && !found.truncated ? changedPlaces(found.stdout.toString("utf8")) : null;
}
