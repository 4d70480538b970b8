import type { AgentFacts, ChangedFile, IterationFacts, Undone } from "../../domain/work.ts";
import { lookFirst, prove, proveMerge, setUp, unresolvedMerge } from "./commands.ts";
import type { Equipment } from "./run-context.ts";
import { judge } from "./judge.ts";
import type { LoopResult, WorkOrder } from "./order.ts";
import { untouchedFiles } from "./progress.ts";
import { createHash } from "node:crypto";
import type { AgentReport } from "../../adapters/agents/agent.ts";
import { stripHiddenCharacters } from "../../domain/text/hidden-text.ts";
import { keptText } from "../../domain/text/clean-text.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import { boundaryFrom } from "../../adapters/models/fence.ts";
import { loadPrompt } from "../../adapters/models/prompt.ts";
import { commitMessage } from "./commit-message.ts";
import type { LeftNotes } from "./notes.ts";
import { DONE_FILE, QUESTION_FILE, TASK_FILE, layTask, readNotes } from "./notes.ts";
import { taskFile } from "./task-file.ts";

/**
 * Carries out a task: set-up commands once, a first look at the checks, then fresh runs of the agent, each followed by
 * a commit of what it changed, checks and tests, until the change stands or a limit is reached (R-WORK-2). All that is
 * committed is in the workspace; nothing leaves it here.
 *
 * After a crash it goes on with the iterations that `earlier` tells of, in a new workspace at the newest commit. A
 * further run on the same branch begins with the first look of the one before (number 0) as its `earlier`.
 * Throws what the workspace, the sandbox or `onIteration` throws.
 */
export async function runLoop(order: WorkOrder, equipment: Equipment): Promise<LoopResult> {
  const facts = [...equipment.earlier];
  const over = judge(facts, order, equipment.limits);
  if (over !== null) return over;
  const begun = equipment.clock.now().getTime();
  const failed = await setUp(order, equipment);
  if (equipment.signal.aborted) return { kind: "stopped" };
  // With marks of a merge in its files nothing need work; it is set up once more when they are gone.
  if (failed !== null && equipment.workspace.unresolved().length === 0) return { kind: "setup failed", check: failed };
  if (facts.length === 0) {
    const look = await firstFacts(order, equipment, begun);
    if (equipment.signal.aborted) return { kind: "stopped" };
    facts.push(look);
    await equipment.onIteration(look);
  }
  for (;;) {
    const result = judge(facts, order, equipment.limits);
    if (result !== null) return result;
    const next = await iterate(order, equipment, facts);
    if (next === null) return { kind: "stopped" };
    tellUnknownCost(next, facts, equipment);
    facts.push(next);
    await equipment.onIteration(next);
  }
}

async function firstFacts(order: WorkOrder, equipment: Equipment, begun: number): Promise<IterationFacts> {
  const changes = await equipment.workspace.changes();
  const checks = await lookFirst(order, equipment, changes);
  return {
    number: 0,
    commit: null,
    tree: await treeOf(equipment, changes),
    agent: null,
    checks,
    undone: [],
    changedFiles: changes.length,
    untouched: untouchedFiles(order.plan, changes),
    usd: 0,
    seconds: Math.max(0, (equipment.clock.now().getTime() - begun) / 1_000),
  };
}

function tellUnknownCost(
  next: IterationFacts,
  facts: readonly IterationFacts[],
  { agent, limits, log }: Equipment,
): void {
  // A patch costs nothing.
  const known = agent.name === "script" || next.priced === true || next.usd > 0;
  if (limits.usd === null || known || facts.some(({ number }) => number > 0)) return;
  log.add("problem", "What the agent costs is not known: the bound of money cannot end this run.");
}

const MOST_OUTPUT_BYTES = 100 * 1024 * 1024;
/** Of the difference to the base, when trees are told apart. */
const MOST_PATCH_BYTES = 8 * 1024 * 1024;
const MOST = { summary: 4_000, detail: 1_000, undone: 200, denied: 20, deniedLength: 300 };
const MINUTE = 60_000;

/**
 * One iteration: a fresh agent with the task, then what it changed, settled and committed, then checks and tests
 * (R-WORK-2). Null where the run was stopped meanwhile; nothing of it is committed then, or all.
 */
async function iterate(
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
async function treeOf({ workspace }: Equipment, changes: readonly ChangedFile[]): Promise<string> {
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
