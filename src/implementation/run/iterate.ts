import { createHash } from "node:crypto";
import type { AgentReport } from "../../adapters/agents/agent.ts";
import { stripHiddenCharacters } from "../../domain/text/hidden-text.ts";
import { keptText } from "../../domain/text/clean-text.ts";
import type { AgentFacts, ChangedFile, IterationFacts, Undone } from "../../domain/work.ts";
import { messageOf, RelayError } from "../../lib/errors.ts";
import { boundaryFrom } from "../../adapters/models/fence.ts";
import { loadPrompt } from "../../adapters/models/prompt.ts";
import { prove, proveMerge, unresolvedMerge } from "./commands.ts";
import { commitMessage } from "./commit-message.ts";
import type { Equipment } from "./run-context.ts";
import { DONE_FILE, layTask, QUESTION_FILE, readNotes, TASK_FILE } from "./notes.ts";
import type { LeftNotes } from "./notes.ts";
import type { WorkOrder } from "./order.ts";
import { untouchedFiles } from "./progress.ts";
import { taskFile } from "./task-file.ts";

const MOST_OUTPUT_BYTES = 100 * 1024 * 1024;
/** Of the difference to the base, when trees are told apart. */
const MOST_PATCH_BYTES = 8 * 1024 * 1024;
const MOST = { summary: 4_000, detail: 1_000, undone: 200, denied: 20, deniedLength: 300 };
const MINUTE = 60_000;

/**
 * One iteration: a fresh agent with the task, then what it changed, settled and committed, then checks and tests
 * (R-WORK-2). Null where the run was stopped meanwhile; nothing of it is committed then, or all.
 */
export async function iterate(
  order: WorkOrder,
  equipment: Equipment,
  facts: readonly IterationFacts[],
): Promise<IterationFacts | null> {
  const { workspace, clock, limits, log, signal, author, rules } = equipment;
  const number = (facts.at(-1)?.number ?? 0) + 1;
  const started = clock.now().getTime();
  const spent = facts.reduce((sum, { seconds }) => sum + seconds * 1_000, 0);
  const remainingMs = () => limits.minutes * MINUTE - spent - (clock.now().getTime() - started);
  log.begin(number);
  log.add("step", `Iteration ${number} of at most ${limits.iterations}, by ${equipment.agent.name}`);
  await workspace.renew();
  const boundary = boundaryFrom(equipment.random);
  const unresolved = workspace.unresolved();
  const state = { facts, changes: await workspace.changes(), unresolved, limits, number, boundary };
  await layTask(workspace.notes, taskFile(order, state));
  if (signal.aborted) return null;
  const report = await runAgent(equipment, facts, remainingMs());
  if (signal.aborted) return null;
  const notes = await readNotes(workspace.notes);
  const settled = await workspace.settle(rules);
  for (const { path, why, detail } of settled.undone) log.add("problem", `Undone: ${path} (${why}) ${detail}`);
  if (signal.aborted) return null;
  const left = workspace.unresolved();
  const merges = unresolved.length > 0;
  const commit = await workspace.commit(commitMessage(order, { number, ...settled, merges }), author);
  log.add("step", outcomeText(commit, settled.changed.length, left));
  const changes = await workspace.changes();
  const proof = { commit, last: facts.at(-1) ?? null, remainingMs };
  const checks =
    notes.question !== null
      ? []
      : left.length > 0
        ? unresolvedMerge(order, left, facts.at(-1)?.checks ?? [])
        : await (merges ? proveMerge : prove)(order, equipment, proof);
  if (signal.aborted) return null;
  return {
    number,
    commit,
    tree: await treeOf(equipment, changes),
    agent: agentFacts(report, notes),
    checks,
    undone: settled.undone.slice(0, MOST.undone).map(storable),
    changedFiles: changes.length,
    untouched: untouchedFiles(order.plan, changes),
    usd: report.usd ?? 0,
    priced: report.usd !== null,
    ...(report.tokens === null ? {} : { tokens: report.tokens }),
    seconds: Math.max(0, (clock.now().getTime() - started) / 1_000),
  };
}

/** Names the difference between the base and the newest commit: the same for the same tree. */
export async function treeOf({ workspace }: Equipment, changes: readonly ChangedFile[]): Promise<string> {
  const patch = await workspace.patch(MOST_PATCH_BYTES);
  return createHash("sha256").update(JSON.stringify(changes)).update(patch).digest("hex");
}

async function runAgent(
  equipment: Equipment,
  facts: readonly IterationFacts[],
  remainingMs: number,
): Promise<AgentReport> {
  const { agent, workspace, limits, log, environment, model, launch, signal } = equipment;
  const spent = facts.reduce((sum, { usd }) => sum + usd, 0);
  const notes = relativeTo(workspace.directory, workspace.notes);
  const prompt = loadPrompt("worker").fill({
    task_file: `${notes}/${TASK_FILE}`,
    question_file: `${notes}/${QUESTION_FILE}`,
    done_file: `${notes}/${DONE_FILE}`,
    notes_folder: notes,
  });
  try {
    const report = await agent.run({
      prompt,
      directory: workspace.directory,
      home: workspace.home,
      environment,
      model,
      timeoutMs: Math.max(1, Math.min(limits.iterationMinutes * MINUTE, remainingMs)),
      mostOutputBytes: MOST_OUTPUT_BYTES,
      maxTurns: null,
      maxUsd: limits.usd === null ? null : Math.max(0.01, limits.usd - spent),
      launch,
      signal,
      onEntry: ({ kind, text }) => log.add(kind, text),
    });
    log.add(report.ending.kind === "finished" ? "step" : "problem", `The agent ended: ${endingText(report)}`);
    return report;
  } catch (error) {
    if (!(error instanceof RelayError) || error.code !== "config") throw error;
    const ending = { kind: "failed", detail: messageOf(error), usable: false } as const;
    log.add("problem", ending.detail);
    return { ending, summary: "", denied: [], usd: 0, tokens: null };
  }
}

function outcomeText(commit: string | null, changed: number, left: readonly string[]): string {
  if (left.length > 0) return `Conflicts are left in ${left.join(", ")}`;
  return commit === null ? "Nothing was changed" : `${changed} files changed: ${commit}`;
}

function endingText({ ending }: AgentReport): string {
  return "detail" in ending && ending.detail !== "" ? `${ending.kind}: ${ending.detail}` : ending.kind;
}

function agentFacts({ ending, summary, denied }: AgentReport, { question, done, answers }: LeftNotes): AgentFacts {
  return {
    ending: ending.kind,
    detail: "detail" in ending ? kept(ending.detail, MOST.detail) : "",
    summary: kept(summary, MOST.summary),
    denied: denied.slice(0, MOST.denied).map((line) => kept(line, MOST.deniedLength)),
    usable: ending.kind !== "failed" || ending.usable,
    question,
    done,
    answers,
  };
}

/** Names of files can hold whatever their maker likes. */
function storable({ path, why, detail }: Undone): Undone {
  return { path: stripHiddenCharacters(path), why, detail: kept(detail, MOST.detail) };
}

function kept(text: string, most: number): string {
  return keptText(text.slice(0, most * 4))
    .slice(0, most)
    .toWellFormed();
}

function relativeTo(directory: string, path: string): string {
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
}
