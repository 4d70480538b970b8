import type { FixPlan } from "../../domain/plan.ts";
import type { ChangedFile, CheckResult, IterationFacts } from "../../domain/work.ts";
import { isFailureLine } from "./relevant-output.ts";

/** This many idle iterations in a row end a run (R-WORK-2). */
const MOST_IDLE = 2;
/** This many iterations in a row that changed something but fixed no failure end it too. */
const MOST_STUCK = 4;

/** Failure lines with their counts, without numbers that differ from run to run. */
type Failures = ReadonlyMap<string, number>;

/** Whether the commands accept a change: they pass, or only fail as they did before it. */
export function isGreen(checks: readonly CheckResult[], before: readonly CheckResult[]): boolean {
  return checks.every((check) => check.outcome === "passed" || isPreexisting(check, before));
}

/** Whether a command already failed before the change for the same reasons; fixing it is not part of the task. */
export function isPreexisting(check: CheckResult, before: readonly CheckResult[]): boolean {
  const earlier = before.find(({ kind, command }) => kind === check.kind && command === check.command);
  if (earlier === undefined || earlier.outcome !== check.outcome) return false;
  if (check.outcome === "passed" || check.outcome === "not run") return false;
  return check.outcome === "timeout" || !hasMore(failuresOf([check]), failuresOf([earlier]));
}

/** Files of the plan that the branch has not changed; a file to delete must be gone. */
export function untouchedFiles(plan: FixPlan, changes: readonly ChangedFile[]): string[] {
  const changed = new Map(changes.map((file) => [file.path, file.change]));
  return plan.file_changes
    .filter(({ path, operation }) => {
      const change = changed.get(path);
      return change === undefined || (operation === "DELETE") !== (change === "deleted");
    })
    .map(({ path }) => path);
}

/**
 * Why another iteration would not help; null while there is progress. `facts` may start with the baseline, number 0.
 */
export function stallReason(facts: readonly IterationFacts[]): string | null {
  const worked = uninterrupted(facts);
  const idle = countLast(worked, (one) => isIdle(one, facts));
  if (idle >= MOST_IDLE) return `${idle} runs of the agent in a row changed nothing that helps`;
  const stuck = countLast(worked, (one) => isStuck(one, facts));
  if (stuck >= MOST_STUCK) return `${stuck} runs of the agent in a row left the same failures`;
  return null;
}

/** Iterations that ran to their end: one that an outage interrupted counts towards no limit (R-WORK-15). */
export function uninterrupted(facts: readonly IterationFacts[]): IterationFacts[] {
  return facts.filter(({ number, agent }) => number > 0 && agent?.interrupted !== true);
}

/** Input and output tokens of iterations whose cost is unknown (R-WORK-13). */
export function unpricedTokens(facts: readonly IterationFacts[]): number {
  const unpriced = facts.filter(({ priced, usd }) => priced !== true && usd === 0);
  return unpriced.reduce((sum, { tokens }) => sum + (tokens === undefined ? 0 : tokens.input + tokens.output), 0);
}

/** Whether the iteration produced no new tree and fixed no failure. */
function isIdle(now: IterationFacts, facts: readonly IterationFacts[]): boolean {
  const earlier = facts.filter(({ number }) => number < now.number);
  const isNew = now.commit !== null && !earlier.some(({ tree }) => tree === now.tree);
  return !isNew && keepsFailures(now, earlier.at(-1));
}

function isStuck(now: IterationFacts, facts: readonly IterationFacts[]): boolean {
  const before = facts.findLast(({ number }) => number < now.number);
  if (before === undefined || failuresOf(now.checks).size === 0) return false;
  return keepsFailures(now, before) && now.untouched.length >= before.untouched.length;
}

function keepsFailures(now: IterationFacts, before: IterationFacts | undefined): boolean {
  return before === undefined || !hasMore(failuresOf(before.checks), failuresOf(now.checks));
}

/** Whether the same commands fail with the same lines. */
export function hasSameFailures(one: readonly CheckResult[], other: readonly CheckResult[]): boolean {
  const [before, now] = [failuresOf(one), failuresOf(other)];
  return !hasMore(before, now) && !hasMore(now, before);
}

/** Whether some line occurs more often in the first than in the second. */
function hasMore(one: Failures, other: Failures): boolean {
  return [...one].some(([line, count]) => count > (other.get(line) ?? 0));
}

function failuresOf(checks: readonly CheckResult[]): Failures {
  const failures = new Map<string, number>();
  for (const { kind, command, outcome, output } of checks) {
    if (outcome === "passed" || outcome === "not run") continue;
    const lines = output.split("\n").filter(isFailureLine);
    for (const line of [outcome, ...lines]) {
      const known = `${kind} ${command}: ${normalized(line)}`;
      failures.set(known, (failures.get(known) ?? 0) + 1);
    }
  }
  return failures;
}

/** The line without what differs between runs with the same failure: durations, line numbers, temporary names. */
function normalized(line: string): string {
  return line
    .replaceAll(/\/tmp\/[^\s"':)]*/g, "/tmp/#")
    .replaceAll(/\b(?=[a-f]{0,39}\d)[0-9a-f]{7,40}\b/gi, "#")
    .replaceAll(/\d+(?:\.\d+)?/g, "#")
    .trim();
}

function countLast<T>(all: readonly T[], holds: (one: T) => boolean): number {
  const broken = all.findLastIndex((one) => !holds(one));
  return all.length - 1 - broken;
}
