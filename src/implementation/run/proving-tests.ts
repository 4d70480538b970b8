import { classify } from "../../code/classify.ts";
import type { CheckResult, TestCounts } from "../../domain/work.ts";
import { runCommand } from "./commands.ts";
import { isToldAlike, isTrusted } from "./test-results.ts";
import type { RunContext } from "./context.ts";
import type { WorkOrder } from "./work-order.ts";
import { reviewedPaths } from "./workspace/protected-paths.ts";

/** The second run of the tests may take up to this many times as long as the first. */
const SLOWER = 2;

/** The outcome of running the tests without the change. */
export interface Proving {
  /** Names of tests that fail without the change, and are known to pass with it. */
  proving: string[];
  /** Whether there are certainly none; false if nothing was tried, or the result is inconclusive. */
  none: boolean;
}

export const NOT_TRIED: Proving = { proving: [], none: false };

/**
 * Runs the tests once more, with the change reverted everywhere except in tests and definitions of checks. Tests that
 * fail then, and are known to pass with the change, prove what it does (R-WORK-7). Skipped if the change has no tests,
 * or if `remainingMs` is too short. `before`: the results before any change.
 */
export async function provingTests(
  { passed, before }: { passed: readonly CheckResult[]; before: readonly CheckResult[] },
  { commands }: WorkOrder,
  context: RunContext,
  remainingMs: number,
): Promise<Proving> {
  const { workspace, limits, log, rules } = context;
  const kindOf = reviewedPaths(rules);
  // With the change's own runner on both sides, forging its results shows nothing.
  const isKept = (path: string) => isTest(path) || kindOf(path) === "checks";
  const changed = (await workspace.changes()).map(({ path }) => path);
  if (!changed.some(isTest)) return NOT_TRIED;
  const known = passed.filter(({ kind, tests }) => kind === "test" && tests !== undefined);
  const commandsToRun = commands.tests.filter((command) => known.some((check) => check.command === command));
  if (commandsToRun.length === 0) return NOT_TRIED;
  if (changed.every(isKept)) return { proving: [], none: true };
  const seconds = known.reduce((sum, check) => sum + check.seconds, 0);
  const timeoutMs = Math.min(limits.checkMinutes * 60_000, remainingMs);
  const isWorthIt = changed.some((path) => classify(path).role === "source");
  if (!isWorthIt || seconds * SLOWER * 1_000 > timeoutMs) return NOT_TRIED;
  log.add("step", "Running the tests without the change that they are for");
  const without = await workspace.withoutChanges(isKept, async () => {
    const results: CheckResult[] = [];
    for (const command of commandsToRun) {
      results.push(await runCommand({ kind: "test", command, timeoutMs, shouldFail: true }, context));
    }
    await workspace.tidy();
    return results;
  });
  const runs = without.map((check) => ({
    check,
    now: countsOf(known, check.command),
    base: countsOf(before, check.command),
  }));
  const shown = runs.flatMap((run) => provenBy(run));
  return {
    proving: [...new Set(shown.flatMap(({ name, passes }) => (passes === true ? [name] : [])))],
    none: shown.length === 0 && runs.every((run) => isConclusive(run)),
  };
}

interface Compared {
  /** The result of the command without the change. */
  check: CheckResult;
  /** Its counts with the change, and before any change. */
  now: TestCounts | undefined;
  base: TestCounts | undefined;
}

/** A test that fails only without the change, and whether it passes with it; null if unknown. */
interface Shown {
  name: string;
  passes: boolean | null;
}

function provenBy({ check, now, base }: Compared): Shown[] {
  const { tests } = check;
  if (tests === undefined || now === undefined || !isTrusted(now, base)) return [];
  const names = tests.red.filter((name) => !now.red.includes(name));
  return names.flatMap((name): Shown[] => {
    if (!isToldAlike(now, tests)) return [{ name, passes: null }];
    if (now.ran === undefined || now.ranAre === "files") {
      return [{ name, passes: isNoFewer(now, tests) && isNoFewer(now, base) ? true : null }];
    }
    const ran = now.ran.filter((one) => isSame(one, name));
    const within = now.ran.filter((one) => isWithin(one, name));
    if (ran.length > 0 || (!isFile(name) && within.length === 0)) return [{ name, passes: ran.length > 0 }];
    // A file or package fails as a whole: its tests did not run without the change.
    const others = new Set([...(base?.ran ?? []), ...(tests.ran ?? [])]);
    const isKnown = base === undefined || isToldAlike(now, base);
    const fresh = (within.length > 0 ? within : now.ran).filter((one) => isKnown && !others.has(one) && !isFile(one));
    return fresh.length === 0 ? [{ name, passes: null }] : fresh.map((one) => ({ name: one, passes: true }));
  });
}

function countsOf(all: readonly CheckResult[], command: string): TestCounts | undefined {
  return all.find((one) => one.kind === "test" && one.command === command)?.tests;
}

/** Whether a run without the change that names no new failing test proves that there is none. */
function isConclusive({ check: { outcome, code, tests }, now }: Compared): boolean {
  if (code === null || tests === undefined || now === undefined) return false;
  return outcome === "passed" || (tests.red.length > 0 && tests.failed <= tests.red.length);
}

/** Whether at least as many tests ran as in another run; false if the runner gives no total. */
function isNoFewer(now: TestCounts, other: TestCounts | undefined): boolean {
  if (now.total === null) return false;
  return other === undefined || other.total === null || ranOf(now, now.total) >= ranOf(other, other.total);
}

function ranOf({ skipped = 0 }: TestCounts, total: number): number {
  return total - skipped;
}

/**
 * Whether a test belongs to that file or package: `a.test.js > adds`, `test_a.py::test_adds`,
 * `example.org/shop.TestAdds`.
 */
function isWithin(test: string, name: string): boolean {
  return test.startsWith(name) && /^(?: > |::|\.)/.test(test.slice(name.length));
}

/** pytest prints the parameters of tests that pass, and cuts those of failing ones at a space. */
function isSame(one: string, name: string): boolean {
  return one === name || (name.includes("[") && one.startsWith(`${name} `));
}

function isFile(name: string): boolean {
  return /^\S*\.[cm]?[jt]sx?$|^\S+\.(?:py|rb)$/.test(name);
}

function isTest(path: string): boolean {
  return classify(path).role === "test";
}
