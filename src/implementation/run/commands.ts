import type { ChangedFile, CheckResult, IterationFacts } from "../../domain/work.ts";
import { keptText } from "../../domain/text/clean-text.ts";
import { notRun, runCheck } from "./checks.ts";
import type { RunContext } from "./context.ts";
import type { WorkOrder } from "./work-order.ts";

/** Of the whole run's time: what the first look may take. */
const BASELINE_TIME_SHARE = 1 / 4;
const MINUTE = 60_000;
/** Characters of a path, and of all that a check says. */
const LONGEST_PATH = 300;
const MOST_OUTPUT = 8_000;

/** The repository's checks and then its tests; each runs whatever the others say, while there is time. */
export async function runCommands(
  order: WorkOrder,
  context: RunContext,
  remainingMs: () => number,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const commands = [
    ...order.commands.checks.map((command) => ({ kind: "check" as const, command })),
    ...order.commands.tests.map((command) => ({ kind: "test" as const, command })),
  ];
  for (const { kind, command } of commands) {
    const timeoutMs = Math.min(context.limits.checkMinutes * MINUTE, remainingMs());
    results.push(await run({ kind, command, timeoutMs }, context));
  }
  return results;
}

/**
 * The set-up commands, each tried twice, since what they fetch may be away for a moment; null where all passed, and
 * the one that failed otherwise.
 */
export async function setUp(order: WorkOrder, context: RunContext): Promise<CheckResult | null> {
  const failed = await runSetUp(order, context);
  // A lock file that a package manager wrote anew is no part of the work.
  if (order.commands.setup.length > 0) await context.workspace.tidy();
  return failed;
}

async function runSetUp(order: WorkOrder, context: RunContext): Promise<CheckResult | null> {
  for (const command of order.commands.setup) {
    const check = { kind: "setup" as const, command, timeoutMs: context.limits.checkMinutes * MINUTE };
    const first = await run(check, context);
    if (first.outcome === "passed") continue;
    const second = context.signal.aborted ? first : await run(check, context);
    if (second.outcome !== "passed") return second;
  }
  return null;
}

/**
 * What the commands say before any change, so that what was red already is not held against it. Where the branch has
 * changes of an earlier run nobody can tell whose fault it is: it is looked at no more, and excuses nothing.
 */
export async function runBaseline(
  order: WorkOrder,
  context: RunContext,
  changes: readonly ChangedFile[],
): Promise<CheckResult[]> {
  if (changes.length > 0 || order.commands.checks.length + order.commands.tests.length === 0) return [];
  const until = context.clock.now().getTime() + context.limits.minutes * MINUTE * BASELINE_TIME_SHARE;
  context.log.add("step", "What the checks say before any change");
  const checks = await runCommands(order, context, () => until - context.clock.now().getTime());
  await context.workspace.tidy();
  return checks;
}

/**
 * What a merge that is not resolved counts as: a command that fails. The others are not run on marks of a merge; `before`
 * stands for them, so that nobody takes it for progress that they do not fail.
 */
export function unresolvedMerge(
  { merge }: WorkOrder,
  files: readonly string[],
  before: readonly CheckResult[],
): CheckResult[] {
  const output = files.map((file) => `unresolved conflict: ${keptText(file.slice(0, LONGEST_PATH))}`).join("\n");
  const command = `git merge ${merge?.base ?? ""}`;
  const failed = { kind: "check", outcome: "failed", code: 1, seconds: 0 } as const;
  return [
    { ...failed, command, output: output.slice(0, MOST_OUTPUT) },
    ...before.filter((check) => check.command !== command),
  ];
}

/**
 * The commands after an iteration: what stood and was not changed need not be proved again, unless that was before a
 * merge.
 */
export async function verify(
  order: WorkOrder,
  context: RunContext,
  { commit, last, remainingMs }: { commit: string | null; last: IterationFacts | null; remainingMs: () => number },
): Promise<CheckResult[]> {
  const isOld = order.merge !== null && last?.number === 0;
  const stood =
    last !== null && !isOld && last.checks.length > 0 && last.checks.every(({ outcome }) => outcome === "passed");
  if (commit === null && stood) return last.checks;
  const checks = await runCommands(order, context, remainingMs);
  await context.workspace.tidy();
  return checks;
}

/** The same after a merge, which may have brought in other dependencies: they are set up first. */
export async function verifyMerge(
  order: WorkOrder,
  context: RunContext,
  proof: Parameters<typeof verify>[2],
): Promise<CheckResult[]> {
  const failed = await setUp(order, context);
  return failed === null ? await verify(order, context, proof) : [failed];
}

async function run(
  check: { kind: CheckResult["kind"]; command: string; timeoutMs: number },
  { commandLaunch: launch, workspace, commandEnvironment, clock, signal, log }: RunContext,
): Promise<CheckResult> {
  if (check.timeoutMs <= 0) return notRun(check.kind, check.command);
  const deps = { launch, directory: workspace.directory, environment: commandEnvironment, clock, signal };
  const result = await runCheck(check, deps);
  const said = result.output === "" ? "" : `\n${result.output}`;
  log.add("check", `${result.outcome}: ${check.command} (${result.seconds} s)${said}`);
  return result;
}
