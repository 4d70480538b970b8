import type { ChangedFile, CheckResult, IterationFacts } from "../../domain/work.ts";
import type { Trouble } from "../../domain/outage.ts";
import { keptText } from "../../domain/text/clean-text.ts";
import { inSpan, noteInSpan } from "../../lib/trace.ts";
import { type CheckDeps, notRun, runCheck } from "./checks.ts";
import type { RunContext } from "./context.ts";
import { networkTrouble } from "./network-trouble.ts";
import { missingProgram } from "./setup-failure.ts";
import { askForReports } from "./test-report/ask.ts";
import type { WorkOrder } from "./work-order.ts";

/** Where and how commands run. */
export type CommandContext = Pick<
  RunContext,
  "workspace" | "commandLaunch" | "commandEnvironment" | "network" | "limits" | "clock" | "signal" | "log"
>;

/** Share of the run's time for the baseline. */
const BASELINE_TIME_SHARE = 1 / 4;
const MINUTE = 60_000;
/** Limits on a path and on a check's output, in characters. */
const LONGEST_PATH = 300;
const MOST_OUTPUT = 8_000;

/** Runs the repository's checks, then its tests: all of them, even if some fail, as long as time is left. */
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
    results.push(await runCommand({ kind, command, timeoutMs }, context));
  }
  return results;
}

/** A set-up command that failed, and the outage behind it; null if the network is not the cause. */
export interface FailedSetUp {
  check: CheckResult;
  trouble: Trouble | null;
}

/** Runs the set-up commands, each with one retry for network failures; null if all passed, otherwise the failed one. */
export async function setUp(order: Pick<WorkOrder, "commands">, context: CommandContext): Promise<FailedSetUp | null> {
  const failed = await runSetUp(order, context);
  // Lock files that a package manager rewrote are not part of the change.
  if (order.commands.setup.length > 0) await context.workspace.tidy();
  return failed;
}

async function runSetUp(order: Pick<WorkOrder, "commands">, context: CommandContext): Promise<FailedSetUp | null> {
  for (const command of order.commands.setup) {
    const check = { kind: "setup" as const, command, timeoutMs: context.limits.checkMinutes * MINUTE };
    const first = await runCommand(check, context);
    if (first.outcome === "passed") continue;
    const before = context.network.unreached().length;
    const second = context.signal.aborted ? first : await runCommand(check, context);
    if (second.outcome === "passed") continue;
    return { check: second, trouble: networkTrouble(second, context.network, before) };
  }
  return null;
}

/**
 * Runs the commands before any change, so that the change is not blamed for existing failures. Skipped if the branch
 * has changes of an earlier run, since a failure's cause would be unclear then.
 */
export async function runBaseline(
  order: WorkOrder,
  context: RunContext,
  changes: readonly ChangedFile[],
): Promise<CheckResult[]> {
  if (changes.length > 0 || order.commands.checks.length + order.commands.tests.length === 0) return [];
  const until = context.clock.now().getTime() + context.limits.minutes * MINUTE * BASELINE_TIME_SHARE;
  context.log.add("step", "Running the checks before any change");
  const checks = await runCommands(order, context, () => until - context.clock.now().getTime());
  await context.workspace.tidy();
  return checks;
}

/**
 * Reports an unresolved merge as a failed command. The real commands do not run on conflict markers; their results from
 * `before` are kept, so that the absence of their failures does not count as progress.
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
 * Runs the commands after an iteration. Without a new commit, passed results stay valid, unless they are from before a
 * merge.
 */
export async function verify(
  order: WorkOrder,
  context: RunContext,
  { commit, last, remainingMs }: { commit: string | null; last: IterationFacts | null; remainingMs: () => number },
): Promise<CheckResult[]> {
  const isBeforeMerge = order.merge !== null && last?.number === 0;
  if (commit === null && last !== null && !isBeforeMerge && allPassed(last)) return last.checks;
  const checks = await runCommands(order, context, remainingMs);
  await context.workspace.tidy();
  return checks.map(withoutNames);
}

/** Without the names of tests that ran; only the comparison of the base with the finished change needs them. */
export function withoutNames({ tests, ...check }: CheckResult): CheckResult {
  if (tests === undefined) return check;
  const { ran: _ran, ranAre: _ranAre, ...counts } = tests;
  return { ...check, tests: counts };
}

/** Whether commands ran after the iteration, and all of them passed. */
export function allPassed({ checks }: IterationFacts): boolean {
  return checks.length > 0 && checks.every(({ outcome }) => outcome === "passed");
}

/** Verifies a merge. Set-up runs first, since the merge may bring in other dependencies. */
export async function verifyMerge(
  order: WorkOrder,
  context: RunContext,
  options: Parameters<typeof verify>[2],
): Promise<CheckResult[] | Trouble> {
  const failed = await setUp(order, context);
  return failed === null ? await verify(order, context, options) : (failed.trouble ?? [failed.check]);
}

/**
 * Runs one command with a timeout; without time left, the result is `not run`. If the command should fail, its output
 * is not logged.
 */
export async function runCommand(check: Command, context: CommandContext): Promise<CheckResult> {
  return await inSpan(`run ${check.kind}`, {}, async () => {
    const result = await runAndLog(check, context);
    noteInSpan({ "relay.outcome": result.outcome, ...(result.code !== null && { "process.exit.code": result.code }) });
    return result;
  });
}

interface Command {
  kind: CheckResult["kind"];
  command: string;
  timeoutMs: number;
  shouldFail?: boolean;
}

async function runAndLog(
  check: Command,
  { commandLaunch: launch, workspace, commandEnvironment, clock, signal, log }: CommandContext,
): Promise<CheckResult> {
  if (check.timeoutMs <= 0) return notRun(check.kind, check.command);
  const { directory, home, cache, outside } = workspace;
  const deps = { launch, directory, hidden: [home, cache, outside], environment: commandEnvironment, clock, signal };
  const result = check.kind === "test" ? await runTests(check, workspace, deps) : await runCheck(check, deps);
  const details = result.output === "" || check.shouldFail === true ? "" : `\n${result.output}`;
  const expected = check.shouldFail === true && result.outcome === "failed" ? ", as it should" : "";
  log.add("check", `${result.outcome}: ${check.command} (${result.seconds} s)${expected}${details}`);
  const program = result.outcome === "failed" ? missingProgram(result) : null;
  if (program !== null) log.add("problem", `${program} is not installed where the commands run: ${check.command}`);
  return result;
}

/** Runs a test command and asks its runners for reports. */
async function runTests(
  check: { kind: CheckResult["kind"]; command: string; timeoutMs: number },
  workspace: CommandContext["workspace"],
  deps: CheckDeps,
): Promise<CheckResult> {
  const reports = await askForReports(check.command, workspace, deps.environment);
  try {
    return await runCheck(check, { ...deps, environment: reports.environment, reports });
  } finally {
    await reports.close();
  }
}
