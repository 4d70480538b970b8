import type { AgentFacts, ChangedFile, IterationFacts, RevertedChange } from "../../domain/work.ts";
import { provenCompletion } from "./proof.ts";
import { allPassed, runBaseline, verify, verifyMerge, setUp, unresolvedMerge } from "./commands.ts";
import type { RunContext } from "./context.ts";
import type { Trouble } from "../../domain/outage.ts";
import { baselineChecks, completionOf } from "./completion.ts";
import type { LoopResult, WorkOrder } from "./work-order.ts";
import { isPreexisting, uninterrupted, untouchedFiles } from "./progress.ts";
import { createHash } from "node:crypto";
import { inSpan, noteInSpan } from "../../lib/trace.ts";
import { stripHiddenCharacters } from "../../domain/text/hidden-characters.ts";
import { keptText } from "../../domain/text/clean-text.ts";
import { boundaryFrom } from "../../adapters/models/fence.ts";
import { changedSymbols } from "../pull-request/changed-symbols.ts";
import { commitMessage } from "./commit-message.ts";
import { type CountedReport, runAgent } from "./run-agent.ts";
import { type AgentNotes, writeTask, readNotes } from "./notes.ts";
import { taskFile } from "./task-file.ts";

/**
 * Carries out a task: set-up commands, a baseline of the checks, then iterations of a fresh agent run, a commit, checks
 * and tests, until a clean checkout shows that the change is accepted, or a limit is reached (R-WORK-2, R-WORK-10).
 * Commits stay in the workspace.
 *
 * After a crash, `earlier` has the finished iterations, and the workspace is a new one at the newest commit. A later
 * run on the same branch gets the previous run's baseline (number 0) as `earlier`. Throws what the workspace, the
 * sandbox, `onIteration` or `onProof` throw.
 */
export async function runLoop(order: WorkOrder, context: RunContext): Promise<LoopResult> {
  const facts = [...context.earlier];
  const finished = await provenCompletion(facts, order, context);
  if (finished !== null) return finished;
  const begun = context.clock.now().getTime();
  const { versions = [] } = order.commands;
  if (versions.length > 0) {
    context.log.add("step", `The repository asks for ${versions.join(", ")}; commands run with what is installed`);
  }
  const failed = await setUp(order, context);
  if (context.signal.aborted) return { kind: "stopped" };
  // Set-up may fail on conflict markers; it runs again once they are resolved.
  if (failed !== null && context.workspace.unresolved().length === 0) {
    const { check, trouble } = failed;
    return trouble === null ? { kind: "setup failed", check, versions } : { kind: "outage", trouble };
  }
  if (failed === null && order.commands.setup.length > 0 && (await isUntouched(context))) {
    await context.workspace.storeCache();
  }
  if (facts.length === 0) {
    const baseline = await baselineFacts(order, context, begun);
    if (context.signal.aborted) return { kind: "stopped" };
    facts.push(baseline);
    await context.onIteration(baseline);
  }
  context.workspace.prepareClean();
  for (;;) {
    const result = await provenCompletion(facts, order, context);
    if (result !== null) return result;
    const made = await inSpan("iteration", {}, async () => await iterate(order, context, facts));
    if (made === null) return { kind: "stopped" };
    const { next, trouble } = made;
    warnUnknownCost(next, facts, context);
    // Nothing to keep: the next attempt replaces it.
    if (trouble !== null && next.commit === null) {
      await context.onInterrupted(next);
      return { kind: "outage", trouble };
    }
    facts.push(next);
    await context.onIteration(next);
    if (trouble !== null) return { kind: "outage", trouble };
  }
}

/** Whether the tree is still the base, and no agent of this run has touched it. */
async function isUntouched({ workspace, earlier }: RunContext): Promise<boolean> {
  return earlier.every(({ agent }) => agent === null) && (await workspace.changes()).length === 0;
}

async function baselineFacts(order: WorkOrder, context: RunContext, begun: number): Promise<IterationFacts> {
  const changes = await context.workspace.changes();
  const checks = await runBaseline(order, context, changes);
  return {
    number: 0,
    commit: null,
    tree: await fingerprintOf(context, changes),
    agent: null,
    checks,
    undone: [],
    changedFiles: changes.length,
    untouched: untouchedFiles(order.plan, changes),
    usd: 0,
    seconds: secondsSince(begun, context.clock),
  };
}

function warnUnknownCost(
  next: IterationFacts,
  facts: readonly IterationFacts[],
  { agent, limits, log }: RunContext,
): void {
  // The script agent costs nothing.
  const known = agent.name === "script" || next.priced === true || next.usd > 0;
  if (limits.usd === null || known || facts.some(({ number }) => number > 0)) return;
  const instead = limits.tokens === null ? "" : `; ${limits.tokens} tokens do (work.tokens)`;
  log.add("problem", `The cost of the agent is unknown: the cost limit cannot end this run${instead}.`);
}

/** Bytes of the patch that is hashed to identify a tree. */
const MOST_PATCH_BYTES = 8 * 1024 * 1024;
const MOST = { summary: 4_000, detail: 1_000, undone: 200, denied: 20, deniedLength: 300 };
const MINUTE = 60_000;

/** An iteration, and the outage that interrupted it. */
interface Iteration {
  next: IterationFacts;
  trouble: Trouble | null;
}

/**
 * One iteration: a fresh agent run, its changes validated and committed, then checks and tests (R-WORK-2). Null if the
 * run was stopped; the changes are then committed completely or not at all.
 */
async function iterate(
  order: WorkOrder,
  context: RunContext,
  facts: readonly IterationFacts[],
): Promise<Iteration | null> {
  const { workspace, clock, limits, log, signal, author, rules } = context;
  const number = (facts.at(-1)?.number ?? 0) + 1;
  const started = clock.now().getTime();
  const spent = facts.reduce((sum, { seconds }) => sum + seconds * 1_000, 0);
  const remainingMs = () => limits.minutes * MINUTE - spent - (clock.now().getTime() - started);
  log.begin(number);
  noteInSpan({ "relay.iteration": number });
  const counted = uninterrupted(facts).length + 1;
  log.add("step", `Iteration ${counted} of at most ${limits.iterations}, by ${context.agent.name}`);
  await workspace.renew();
  const boundary = boundaryFrom(context.random);
  const unresolved = workspace.unresolved();
  const state = { facts, changes: await workspace.changes(), unresolved, limits, number: counted, boundary };
  await writeTask(workspace.notes, taskFile(order, state));
  if (signal.aborted) return null;
  const report = await runAgent(context, facts, remainingMs());
  if (signal.aborted) return null;
  const notes = await readNotes(workspace.notes);
  const trouble = notes.done === null && notes.question === null ? report.trouble : null;
  const validated = await workspace.validate(rules);
  for (const { path, why, detail } of validated.reverted) log.add("problem", `Reverted: ${path} (${why}) ${detail}`);
  if (signal.aborted) return null;
  const left = workspace.unresolved();
  const merges = unresolved.length > 0;
  const before = { files: state.changes.map(({ path }) => path), subjects: await workspace.subjects() };
  const said = notes.done ?? report.summary;
  const message = commitMessage(order, {
    ...validated,
    merges,
    before,
    said: said.slice(0, MOST.summary),
    red: redIn(facts),
    symbols: await changedSymbols(
      validated.changed,
      async (path, at) => await workspace.read(path, at === "base" ? "head" : "tree"),
    ),
  });
  const commit = await workspace.commit(message, author);
  log.add("step", outcomeText(commit, validated.changed.length, left));
  const changes = await workspace.changes();
  const last = facts.at(-1) ?? null;
  const draft: IterationFacts = {
    number,
    commit,
    tree: await fingerprintOf(context, changes),
    agent: { ...agentFacts(report, notes), ...(trouble !== null && { interrupted: true }) },
    checks: [],
    undone: validated.reverted.slice(0, MOST.undone).map(storable),
    changedFiles: changes.length,
    untouched: untouchedFiles(order.plan, changes),
    usd: report.usd ?? 0,
    priced: report.usd !== null,
    ...(report.tokens === null ? {} : { tokens: report.tokens }),
    countedBy: report.countedBy,
    estimated: report.estimated,
    seconds: secondsSince(started, clock),
  };
  const made = (more: Partial<IterationFacts> = {}): Iteration => ({ next: { ...draft, ...more }, trouble });
  if (notes.question !== null || (trouble !== null && commit === null)) return made();
  if (left.length > 0) return made({ checks: unresolvedMerge(order, left, last?.checks ?? []) });
  if (!merges) {
    if (commit === null && last?.proof !== undefined && allPassed(last)) {
      return made({ checks: last.checks, proof: last.proof });
    }
    // The clean checkout will decide, so the checks need not run here.
    const next = completionOf([...facts, draft], order, limits)?.kind;
    if (next === "done" || next === "not caused") return made();
  }
  const checks = await (merges ? verifyMerge : verify)(order, context, { commit, last, remainingMs });
  if (signal.aborted) return null;
  const seconds = secondsSince(started, clock);
  if (Array.isArray(checks)) return made({ checks, seconds });
  return { next: interruptedBy(made({ seconds }).next), trouble: checks };
}

function interruptedBy(facts: IterationFacts): IterationFacts {
  return { ...facts, agent: facts.agent && { ...facts.agent, interrupted: true } };
}

function secondsSince(started: number, clock: RunContext["clock"]): number {
  return Math.max(0, (clock.now().getTime() - started) / 1_000);
}

/** Commands that failed in the last iteration, other than as before the change. */
function redIn(facts: readonly IterationFacts[]): string[] {
  const last = facts.at(-1);
  if (last === undefined || last.agent === null) return [];
  const before = baselineChecks(facts);
  return last.checks.flatMap((check) =>
    check.outcome === "failed" && !isPreexisting(check, before) ? [check.command] : [],
  );
}

/** A hash of the difference between base and head: the same for the same tree. */
async function fingerprintOf({ workspace }: RunContext, changes: readonly ChangedFile[]): Promise<string> {
  const patch = await workspace.patch(MOST_PATCH_BYTES);
  return createHash("sha256").update(JSON.stringify(changes)).update(patch).digest("hex");
}

function outcomeText(commit: string | null, changed: number, left: readonly string[]): string {
  if (left.length > 0) return `Conflicts are left in ${left.join(", ")}`;
  return commit === null ? "Nothing was changed" : `${changed} files changed: ${commit}`;
}

function agentFacts(
  { ending, summary, denied, bound }: CountedReport,
  { question, done, answers }: AgentNotes,
): AgentFacts {
  return {
    ending: ending.kind,
    detail: "detail" in ending ? kept(ending.detail, MOST.detail) : "",
    summary: kept(summary, MOST.summary),
    denied: denied.slice(0, MOST.denied).map((line) => kept(line, MOST.deniedLength)),
    usable: ending.kind !== "failed" || ending.usable || bound !== null,
    ...(bound !== null && { bound }),
    question,
    done,
    answers,
  };
}

/** File names can contain anything, including hidden characters. */
function storable({ path, why, detail }: RevertedChange): RevertedChange {
  return { path: stripHiddenCharacters(path), why, detail: kept(detail, MOST.detail) };
}

function kept(text: string, most: number): string {
  return keptText(text.slice(0, most * 4))
    .slice(0, most)
    .toWellFormed();
}
