import type { IterationFacts } from "../../domain/work.ts";
import { lookFirst, setUp } from "./commands.ts";
import type { Equipment } from "./run-context.ts";
import { iterate, treeOf } from "./iterate.ts";
import { judge } from "./judge.ts";
import type { LoopResult, WorkOrder } from "./order.ts";
import { untouchedFiles } from "./progress.ts";

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
