import type { FixPlan } from "../../domain/plan.ts";
import type { ChangedFile, CheckResult, IterationFacts } from "../../domain/work.ts";
import { isFailureLine } from "./relevant-output.ts";

/** So many idle iterations in a row end a run (R-WORK-2). */
const MOST_IDLE = 2;
/** So many that changed something and left every failure as it was, word for word, end it too. */
const MOST_STUBBORN = 4;

/** What fails, as lines without the numbers that differ from run to run, and how often each is there. */
type Failures = ReadonlyMap<string, number>;

/** Whether the commands let a change stand: they pass, or fail in nothing in which they did not fail before it. */
export function isGreen(checks: readonly CheckResult[], before: readonly CheckResult[]): boolean {
  return checks.every((check) => check.outcome === "passed" || isPreexisting(check, before));
}

/** A command that was red before the change, for the same reasons: nobody asked to mend it. */
export function isPreexisting(check: CheckResult, before: readonly CheckResult[]): boolean {
  const earlier = before.find(({ kind, command }) => kind === check.kind && command === check.command);
  if (earlier === undefined || earlier.outcome !== check.outcome) return false;
  if (check.outcome === "passed" || check.outcome === "not run") return false;
  return check.outcome === "timeout" || !hasMore(failuresOf([check]), failuresOf([earlier]));
}

/** Files that the plan changes and the branch does not; a file to be deleted must be gone. */
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
 * Why no further iteration would help, from facts alone; null where there is progress. `facts` begin with the first
 * look, whose number is 0, where one was taken.
 */
export function stallReason(facts: readonly IterationFacts[]): string | null {
  const worked = facts.filter(({ number }) => number > 0);
  const idle = countLast(worked, (one) => isIdle(one, facts));
  if (idle >= MOST_IDLE) return `${idle} runs of the agent in a row changed nothing that helps`;
  const stubborn = countLast(worked, (one) => isStubborn(one, facts));
  if (stubborn >= MOST_STUBBORN) return `${stubborn} runs of the agent in a row left the same failures`;
  return null;
}

/** It made no new state of the tree, and no failure went away. */
function isIdle(now: IterationFacts, facts: readonly IterationFacts[]): boolean {
  const earlier = facts.filter(({ number }) => number < now.number);
  const isNew = now.commit !== null && !earlier.some(({ tree }) => tree === now.tree);
  return !isNew && leavesFailures(now, earlier.at(-1));
}

function isStubborn(now: IterationFacts, facts: readonly IterationFacts[]): boolean {
  const before = facts.findLast(({ number }) => number < now.number);
  if (before === undefined || failuresOf(now.checks).size === 0) return false;
  return leavesFailures(now, before) && now.untouched.length >= before.untouched.length;
}

function leavesFailures(now: IterationFacts, before: IterationFacts | undefined): boolean {
  return before === undefined || !hasMore(failuresOf(before.checks), failuresOf(now.checks));
}

/** Whether a line is there more often in the first than in the second. */
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

/** Without what differs from one run of the same failure to the next: durations, numbers of lines, temporary names. */
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
