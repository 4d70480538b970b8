import { concern } from "../../domain/concern.ts";
import type { Trouble } from "../../domain/outage.ts";
import type { CheckResult, IterationFacts } from "../../domain/work.ts";
import { inSpan } from "../../lib/trace.ts";
import { runCommand, runCommands, setUp, withoutNames } from "./commands.ts";
import { baselineChecks, completionOf } from "./completion.ts";
import { concernsOf } from "./concerns/concerns.ts";
import type { RunContext } from "./context.ts";
import { NOT_TRIED, type Proving, provingTests } from "./proving-tests.ts";
import type { LoopResult, WorkOrder } from "./work-order.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** Share of the run's time that the proof gets, even if no time is left. */
const PROOF_TIME_SHARE = 1 / 4;
const MINUTE = 60_000;

/**
 * Decides whether the run is over; null if it needs another iteration. Before a run ends as done, its checks and tests
 * run on a clean checkout, so that the results hold for the commit; they become part of the last of the `facts`, and
 * may demand another iteration (R-WORK-10). A change that is done is also examined for concerns (R-WORK-11). After a
 * crash, the same commit is proven again unless the proof was stored.
 */
export async function provenCompletion(
  facts: IterationFacts[],
  order: WorkOrder,
  context: RunContext,
): Promise<LoopResult | null> {
  const result = completionOf(facts, order, context.limits);
  const now = facts.at(-1);
  if (result === null || now === undefined || (result.kind !== "done" && result.kind !== "not caused")) return result;
  const head = context.workspace.head();
  const isProven = now.proof?.commit === head || order.commands.checks.length + order.commands.tests.length === 0;
  if (isProven && (result.kind !== "done" || now.concerns?.commit === head)) return result;
  const proven = isProven ? now : await prove(facts, order, context);
  if (context.signal.aborted) return { kind: "stopped" };
  if ("of" in proven) return { kind: "outage", trouble: proven };
  const looked = await lookAt([...facts.slice(0, -1), proven], order, context);
  facts.splice(-1, 1, looked);
  await context.onProof(looked);
  return completionOf(facts, order, context.limits);
}

/** The last of the facts; if the change is done, with its concerns. */
async function lookAt(
  facts: readonly IterationFacts[],
  order: WorkOrder,
  context: RunContext,
): Promise<IterationFacts> {
  const { workspace, limits, rules } = context;
  const last = facts.at(-1);
  if (last === undefined) throw new Error("nothing to look at");
  if (completionOf(facts, order, limits)?.kind !== "done") return last;
  const read: Workspace["read"] = async (path, at) => await workspace.read(path, at);
  const scan = await scanned(context);
  const all = [
    ...(scan === null || scan.outcome === "passed" ? [] : [concern("scan failed", {})]),
    ...(await concernsOf({ order, facts, rules, changes: await workspace.changes(), read })),
  ];
  const checks = last.checks.map(withoutNames);
  return { ...last, checks, concerns: { commit: workspace.head(), all, ...(scan === null ? {} : { scan }) } };
}

/** The result of the operator's scanner, on a checkout where no code of the change has run; null without a scanner. */
async function scanned(context: RunContext): Promise<CheckResult | null> {
  const { scanCommand: command, limits, log } = context;
  if (command === null) return null;
  log.add("step", `Scan of a clean checkout of ${context.workspace.head()}`);
  const check = { kind: "scan" as const, command, timeoutMs: limits.checkMinutes * MINUTE };
  return await onCleanCheckout(context, async (clean) => await runCommand(check, clean));
}

/**
 * The last of the facts, with the results of its commit on a clean checkout. If a set-up command fails, its result
 * replaces them; a network outage proves nothing.
 */
async function prove(
  facts: readonly IterationFacts[],
  order: WorkOrder,
  context: RunContext,
): Promise<IterationFacts | Trouble> {
  const { workspace, clock, limits, log } = context;
  const last = facts.at(-1);
  if (last === undefined) throw new Error("nothing to prove");
  const begun = clock.now().getTime();
  const spent = facts.reduce((sum, { seconds }) => sum + seconds * 1_000, 0);
  const time = Math.max(limits.minutes * MINUTE - spent, limits.minutes * MINUTE * PROOF_TIME_SHARE);
  const remainingMs = () => time - (clock.now().getTime() - begun);
  const commit = workspace.head();
  const withChecks = (checks: CheckResult[], shown: Proving): IterationFacts => ({
    ...last,
    checks,
    proof: { commit, proving: shown.proving, ...(shown.none ? { none: true } : {}) },
    seconds: last.seconds + Math.max(0, (clock.now().getTime() - begun) / 1_000),
  });
  log.add("step", `Set-up, checks and tests on a clean checkout of ${commit}`);
  const onClean = async (clean: RunContext) => {
    const failed = await setUp(order, clean);
    if (failed !== null) return failed.trouble ?? withChecks([failed.check], NOT_TRIED);
    const proven = withChecks(await runCommands(order, clean, remainingMs), NOT_TRIED);
    if (completionOf([...facts.slice(0, -1), proven], order, limits)?.kind !== "done") return proven;
    const results = { passed: proven.checks, before: baselineChecks(facts) };
    return withChecks(proven.checks, await provingTests(results, order, clean, remainingMs()));
  };
  return await inSpan("clean checkout", {}, async () => await onCleanCheckout(context, onClean));
}

/** Does the work in a tree and a sandbox that no agent has touched. */
async function onCleanCheckout<T>(context: RunContext, work: (clean: RunContext) => Promise<T>): Promise<T> {
  const workspace = await context.workspace.checkOutClean();
  try {
    const { close, ...place } = await context.openCommands(workspace);
    try {
      return await work({ ...context, ...place, workspace });
    } finally {
      await close();
    }
  } finally {
    await workspace.close();
  }
}
