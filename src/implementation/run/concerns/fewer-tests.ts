import { changedTestFiles, changedTests } from "../../../code/tests/changed-tests.ts";
import { type Concern, concern } from "../../../domain/concern.ts";
import type { CheckResult, TestCounts } from "../../../domain/work.ts";
import { isToldAlike, isTrusted } from "../test-results.ts";
import type { FinishedChange } from "./finished-change.ts";

/**
 * Compares what test runners report on the clean checkout with what they reported before any agent ran (R-WORK-12).
 * Finds fewer tests, more skipped ones, no reported tests at all, contradictory counts, and missing tests that the
 * change has neither renamed nor touched the files of. Compares nothing after a merge, since the merged branch has
 * tests of its own.
 */
export async function fewerTests({ order, facts, changes, read }: FinishedChange): Promise<Concern[]> {
  if (order.merge !== null) return [];
  const tests = changedTests(await changedTestFiles(changes, read));
  const touched = { paths: changes.map(({ path }) => path), renamed: tests.flatMap(({ before: name }) => name ?? []) };
  const before = facts.find(({ number }) => number === 0)?.checks ?? [];
  const now = facts.at(-1)?.checks ?? [];
  const agreed = order.plan.file_changes.some(({ operation }) => operation === "DELETE");
  return before.flatMap((earlier) => {
    const later = now.find(({ kind, command }) => kind === earlier.kind && command === earlier.command);
    if (later === undefined || !ended(later)) return [];
    const isDoubtful = later.tests !== undefined && !isTrusted(later.tests, earlier.tests);
    return [
      ...(isDoubtful ? [concern("counts contradict", { names: [earlier.command] })] : []),
      ...(earlier.tests === undefined || !ended(earlier)
        ? []
        : compared(earlier.command, earlier.tests, later.tests, agreed, touched)),
    ];
  });
}

/** Whether a command ended by itself; after a timeout, its counts are incomplete. */
function ended({ code, outcome }: CheckResult): boolean {
  return code !== null && (outcome === "passed" || outcome === "failed");
}

function compared(
  command: string,
  before: TestCounts,
  now: TestCounts | undefined,
  agreed: boolean,
  touched: Touched,
): Concern[] {
  const had = ranOf(before);
  const has = now === undefined ? null : ranOf(now);
  if (had === 0) return [];
  const names = [command];
  if (now === undefined || (had !== null && (has === null || has === 0))) {
    return [concern("no tests told", { names, ...(had === null ? {} : { numbers: { before: had } }) })];
  }
  if (had !== null && has !== null && has < had) {
    return [concern("fewer tests", { agreed, names, numbers: { before: had, now: has } })];
  }
  const missing = isToldAlike(before, now) ? missingOf(before.ran, now.ran, touched) : [];
  if (missing.length > 0) return [concern("tests missing", { agreed, names: missing })];
  const [skippedBefore = 0, skippedNow = 0] = [before.skipped, now.skipped];
  if (skippedNow <= skippedBefore) return [];
  return [concern("more skipped", { names, numbers: { before: skippedBefore, now: skippedNow } })];
}

/** The number of tests that ran; null if the runner does not say. */
function ranOf({ total, skipped = 0 }: TestCounts): number | null {
  return total === null ? null : total - skipped;
}

/** Files of the change, and the old names of tests that it renames. */
interface Touched {
  paths: readonly string[];
  renamed: readonly string[];
}

/** Tests that ran before by name, but not now; without those that the change touches, since they may have new names. */
function missingOf(before: TestCounts["ran"], now: TestCounts["ran"], { paths, renamed }: Touched): string[] {
  if (before === undefined || now === undefined) return [];
  const [had, has] = [new Set(before), new Set(now)];
  // Names may contain what differs from run to run: a date, a port, an id.
  const fresh = new Set(now.filter((name) => !had.has(name)).map(withoutNumbers));
  const files = paths.map((path) => path.replace(/\.[^/.]+$/, ""));
  const isTouched = (name: string) =>
    files.some((path) => isIn(name, path)) || renamed.some((old) => isCalled(name, old));
  return before.filter((name) => !has.has(name) && !fresh.has(withoutNumbers(name)) && !isTouched(name));
}

function withoutNumbers(name: string): string {
  return name.replace(/\b[\da-f-]{8,}\b|\d+/gi, "0");
}

/**
 * Whether a test, class or package may belong to a file: `pkg/total_test` for `example.org/shop/pkg`,
 * `com.shop.TotalTest`.
 */
function isIn(name: string, path: string): boolean {
  const parts = path.split("/");
  const file = parts.at(-1) ?? "";
  const folder = parts.slice(0, -1).join("/");
  return (
    name.includes(path) ||
    name.split(/[.:/#$\s]+/).includes(file) ||
    (folder !== "" && (name.endsWith(folder) || name.includes(`${folder}.Test`)))
  );
}

/** A runner may include the groups around a test: `chunk > drops the rest`. */
function isCalled(name: string, test: string): boolean {
  return name === test || (name.endsWith(test) && !/[\p{L}\p{N}]/u.test(name.charAt(name.length - test.length - 1)));
}
