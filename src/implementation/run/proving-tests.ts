import { classify } from "../../code/classify.ts";
import type { CheckResult } from "../../domain/work.ts";
import { runCommand } from "./commands.ts";
import type { RunContext } from "./context.ts";
import type { WorkOrder } from "./work-order.ts";

/** A second run of the tests may take so many times as long as the one before it. */
const SLOWER = 2;

/**
 * Runs the tests once more with the change taken out of everything but the tests: those that fail then, and pass with the
 * change, show what it does (R-WORK-7). Gives their names; none where the runner tells no names, where the change has no
 * tests or nothing else, or where `remainingMs` is too short.
 */
export async function provingTests(
  passed: readonly CheckResult[],
  { commands }: WorkOrder,
  context: RunContext,
  remainingMs: number,
): Promise<string[]> {
  const { workspace, limits, log } = context;
  const changed = (await workspace.changes()).map(({ path }) => path);
  const known = passed.filter(({ kind, tests }) => kind === "test" && tests !== undefined);
  const commandsToRun = commands.tests.filter((command) => known.some((check) => check.command === command));
  const seconds = known.reduce((sum, check) => sum + check.seconds, 0);
  const timeoutMs = Math.min(limits.checkMinutes * 60_000, remainingMs);
  const isWorthIt = changed.some(isTest) && changed.some((path) => classify(path).role === "source");
  if (!isWorthIt || commandsToRun.length === 0 || seconds * SLOWER * 1_000 > timeoutMs) return [];
  log.add("step", "Running the tests without the change that they are for");
  const without = await workspace.withoutChanges(isTest, async () => {
    const results: CheckResult[] = [];
    for (const command of commandsToRun) {
      results.push(await runCommand({ kind: "test", command, timeoutMs, shouldFail: true }, context));
    }
    await workspace.tidy();
    return results;
  });
  const redNow = new Set(known.flatMap(({ tests }) => tests?.red ?? []));
  return [...new Set(without.flatMap(({ tests }) => tests?.red ?? []))].filter((name) => !redNow.has(name));
}

function isTest(path: string): boolean {
  return classify(path).role === "test";
}
