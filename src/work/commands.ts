import type { ChangedFile, CheckResult, IterationFacts } from "../domain/work.ts";
import { notRun, runCheck } from "./checks.ts";
import type { Equipment } from "./equipment.ts";
import type { WorkOrder } from "./order.ts";

/** Of the whole run's time: what the first look may take. */
const SHARE_OF_FIRST_LOOK = 1 / 4;
const MINUTE = 60_000;

/** The repository's checks and then its tests; each runs whatever the others say, while there is time. */
export async function runCommands(
  order: WorkOrder,
  equipment: Equipment,
  remainingMs: () => number,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const commands = [
    ...order.commands.checks.map((command) => ({ kind: "check" as const, command })),
    ...order.commands.tests.map((command) => ({ kind: "test" as const, command })),
  ];
  for (const { kind, command } of commands) {
    const timeoutMs = Math.min(equipment.limits.checkMinutes * MINUTE, remainingMs());
    results.push(await run({ kind, command, timeoutMs }, equipment));
  }
  return results;
}

/**
 * The set-up commands, each tried twice, since what they fetch may be away for a moment; null where all passed, and
 * the one that failed otherwise.
 */
export async function setUp(order: WorkOrder, equipment: Equipment): Promise<CheckResult | null> {
  for (const command of order.commands.setup) {
    const check = { kind: "setup" as const, command, timeoutMs: equipment.limits.checkMinutes * MINUTE };
    const first = await run(check, equipment);
    if (first.outcome === "passed") continue;
    const second = equipment.signal.aborted ? first : await run(check, equipment);
    if (second.outcome !== "passed") return second;
  }
  // A lock file that a package manager wrote anew is no part of the work.
  if (order.commands.setup.length > 0) await equipment.workspace.tidy();
  return null;
}

/**
 * What the commands say before any change, so that what was red already is not held against it. Where the branch has
 * changes of an earlier run nobody can tell whose fault it is: it is looked at no more, and excuses nothing.
 */
export async function lookFirst(
  order: WorkOrder,
  equipment: Equipment,
  changes: readonly ChangedFile[],
): Promise<CheckResult[]> {
  if (changes.length > 0 || order.commands.checks.length + order.commands.tests.length === 0) return [];
  const until = equipment.clock.now().getTime() + equipment.limits.minutes * MINUTE * SHARE_OF_FIRST_LOOK;
  equipment.log.add("step", "What the checks say before any change");
  const checks = await runCommands(order, equipment, () => until - equipment.clock.now().getTime());
  await equipment.workspace.tidy();
  return checks;
}

/** The commands after an iteration: what stood and was not changed need not be proved again. */
export async function prove(
  order: WorkOrder,
  equipment: Equipment,
  { commit, last, remainingMs }: { commit: string | null; last: IterationFacts | null; remainingMs: () => number },
): Promise<CheckResult[]> {
  const stood = last !== null && last.checks.length > 0 && last.checks.every(({ outcome }) => outcome === "passed");
  if (commit === null && stood) return last.checks;
  const checks = await runCommands(order, equipment, remainingMs);
  await equipment.workspace.tidy();
  return checks;
}

async function run(
  check: { kind: CheckResult["kind"]; command: string; timeoutMs: number },
  { commandLaunch: launch, workspace, commandEnvironment, clock, signal, log }: Equipment,
): Promise<CheckResult> {
  if (check.timeoutMs <= 0) return notRun(check.kind, check.command);
  const deps = { launch, directory: workspace.directory, environment: commandEnvironment, clock, signal };
  const result = await runCheck(check, deps);
  const said = result.output === "" ? "" : `\n${result.output}`;
  log.add("check", `${result.outcome}: ${check.command} (${result.seconds} s)${said}`);
  return result;
}
