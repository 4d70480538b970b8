import { stripVTControlCharacters } from "node:util";
import type { TestCounts } from "../../domain/work.ts";
import type { ReportedTest, TestReport } from "./test-report/reported-test.ts";
import { FIGURES, type Numbers, RUNNERS, type Runner, n } from "./test-runners.ts";

/** Characters that are read, from the end, where runners print their summary. */
const READ = 800_000;
const LONGEST_LINE = 2_000;
const LONGEST_NAME = 200;
/** How many names are kept of failing tests, and of tests that ran. */
const MOST_NAMES = { red: 200, ran: 1_000 };

/** The result that one runner printed. */
interface Printed {
  runner: string;
  counts: TestCounts;
  /** Whether it was added up from lines for single tests. */
  isOfTests: boolean;
  /** How often it ran, if only the last run leaves a report; otherwise 0. */
  runs: number;
}

/**
 * The result of a command's tests: how many there are, how many of them fail, and which; null for unknown output, or
 * output without counts. A runner's own report wins over what it printed. The code under test could forge both: if they
 * contradict each other, or if the command `passed` with failing tests, the result takes the worse figures of both and
 * says so.
 */
export function testResults(
  printed: string,
  { reports, passed }: { reports: readonly TestReport[]; passed: boolean } = { reports: [], passed: false },
): TestCounts | null {
  const isWhole = printed.length <= READ && !LEFT_OUT.test(printed);
  const told = printedResults(printed, isWhole);
  if (reports.length === 0) return told[0]?.counts ?? null;
  const parts = [...Map.groupBy(reports, ({ runner }) => runner)].map(([runner, all]) => {
    const reported = countsOf(all.flatMap(({ tests }) => tests));
    const same = told.find((one) => one.runner === runner);
    if (same !== undefined && same.runs > all.length) return same.counts;
    const isPart = same?.isOfTests === true && !isWhole;
    return agreed(reported, isPart ? undefined : same?.counts, passed);
  });
  return parts.length === 1 ? (parts[0] ?? null) : parts.reduce((sum, part) => added(sum, part));
}

/** The result according to a runner's reports alone. */
function countsOf(tests: readonly ReportedTest[]): TestCounts {
  const of = (...states: ReportedTest["state"][]) => tests.filter(({ state }) => states.includes(state));
  const red = new Set(of("failed", "broken").flatMap(({ name }) => name || []));
  const ran = [...new Set(of("passed").flatMap(({ name }) => name || []))].filter((name) => !red.has(name));
  return {
    total: tests.length - of("broken").length,
    failed: of("failed").length,
    skipped: of("skipped").length,
    red: [...red].slice(0, MOST_NAMES.red),
    ...(ran.length > MOST_NAMES.ran ? {} : { ran }),
    by: "report",
  };
}

/** Compares a report with the printed counts and with the exit of the command. */
function agreed(reported: TestCounts, printed: TestCounts | undefined, passed: boolean): TestCounts {
  const isRed = reported.failed > 0 || reported.red.length > 0;
  const total = printed?.total ?? null;
  const isSame =
    printed === undefined || total === null || (total === reported.total && printed.failed === reported.failed);
  if (isSame && !(passed && isRed)) return reported;
  const both = [reported, printed ?? reported];
  const least = Math.min(...both.map((one) => one.total ?? Infinity));
  const ran = Math.min(...both.map((one) => (one.total ?? Infinity) - (one.skipped ?? 0)));
  return {
    ...reported,
    total: least,
    failed: Math.max(reported.failed, printed?.failed ?? 0),
    skipped: Math.max(0, least - ran),
    red: [...new Set([...reported.red, ...(printed?.red ?? [])])].slice(0, MOST_NAMES.red),
    by: "contradiction",
  };
}

/** The sum of two runners in one command. */
function added(one: TestCounts, other: TestCounts): TestCounts {
  const ran = one.ran === undefined || other.ran === undefined ? undefined : [...one.ran, ...other.ran];
  const isTold = one.by !== undefined && other.by !== undefined;
  const isContradicted = one.by === "contradiction" || other.by === "contradiction";
  return {
    total: one.total === null || other.total === null ? null : one.total + other.total,
    failed: one.failed + other.failed,
    skipped: (one.skipped ?? 0) + (other.skipped ?? 0),
    red: [...one.red, ...other.red].slice(0, MOST_NAMES.red),
    ...(ran === undefined || ran.length > MOST_NAMES.ran ? {} : { ran }),
    ...(isContradicted ? { by: "contradiction" as const } : isTold ? { by: "report" as const } : {}),
  };
}

/** What runners printed, the most reliable first. */
function printedResults(printed: string, isWhole: boolean): Printed[] {
  const text = stripVTControlCharacters(printed.slice(-READ));
  const lines = text.split("\n").map((line) => line.replace(/\r$/, "").slice(0, LONGEST_LINE));
  const ranIn = (pattern: Runner["ran"]) => {
    const names = isWhole && pattern !== null ? namesIn(lines, pattern, MOST_NAMES.ran + 1) : [];
    return names.length === 0 || names.length > MOST_NAMES.ran ? {} : { ran: names };
  };
  const results: Printed[] = [];
  for (const { runner, counts, leavesOne, name, ran, ranAre } of RUNNERS) {
    const found = lines.flatMap((line) => counts(line) ?? []);
    if (found.length === 0) continue;
    const sum = { total: sumOf(found, "total"), failed: sumOf(found, "failed"), skipped: sumOf(found, "skipped") };
    const red = namesIn(lines, name, MOST_NAMES.red);
    const named = ranIn(ran);
    const result = { ...sum, red, ...named, ...(ranAre !== undefined && "ran" in named ? { ranAre } : {}) };
    results.push({ runner, counts: result, isOfTests: false, runs: leavesOne === true ? found.length : 0 });
  }
  for (const { runner, isOfTests = false, total, passed, failed, other, name, ran } of FIGURES) {
    const all = total === null ? null : figure(lines, total);
    const [good, bad, rest] = [figure(lines, passed), figure(lines, failed), figure(lines, other)];
    if (total === null ? good === null && bad === null : all === null) continue;
    const red = namesIn(failingPart(lines), name, MOST_NAMES.red);
    const counted = good === null ? null : good + (bad ?? 0) + (rest ?? 0);
    const sum = all ?? counted;
    const skipped = sum === null ? {} : { skipped: rest ?? 0 };
    results.push({
      runner,
      counts: { total: sum, failed: bad ?? 0, ...skipped, red, ...ranIn(ran) },
      isOfTests,
      runs: 0,
    });
  }
  const packages = ofPackages(lines);
  return packages === null ? results : [...results, { runner: "go", counts: packages, isOfTests: true, runs: 0 }];
}

/** The line in place of output that was too long to keep. */
const LEFT_OUT = /^\[\d+ characters are left out\]$/m;

/** Without `-v`, Go only names the packages whose tests passed. */
function ofPackages(lines: readonly string[]): TestCounts | null {
  const ran = namesIn(lines, /^ok {2}\t(\S+)\t(?!.*\[no tests to run\])/, MOST_NAMES.ran);
  return ran.length === 0 ? null : { total: null, failed: 0, red: [], ran };
}

function sumOf(all: readonly Numbers[], of: keyof Numbers): number {
  return all.reduce((sum, one) => sum + one[of], 0);
}

/**
 * The sum over all lines with such a figure; a matching line without a number counts as one. Null without such a line.
 */
function figure(lines: readonly string[], pattern: RegExp): number | null {
  let sum: number | null = null;
  for (const line of lines) {
    const found = pattern.exec(line);
    if (found === null) continue;
    const figures = found.slice(1).filter((part) => part !== undefined);
    sum =
      (sum ?? 0) + (figures.every((part) => part.trim() === "") ? 1 : figures.reduce((all, one) => all + n(one), 0));
  }
  return sum;
}

/** At the end, Node repeats the failing tests, without the suites around them. */
function failingPart(lines: readonly string[]): readonly string[] {
  const at = lines.findLastIndex((line) => /^✖ failing tests:$/u.test(line));
  return at === -1 ? lines : lines.slice(at + 1);
}

function namesIn(lines: readonly string[], pattern: RegExp, most: number): string[] {
  const names = new Set<string>();
  for (const [at, line] of lines.entries()) {
    const name = pattern.exec(line)?.slice(1).find(Boolean);
    if (name === undefined || names.size >= most || isSuite(lines, at)) continue;
    names.add(name.trim().slice(0, LONGEST_NAME).toWellFormed());
  }
  return [...names];
}

/** TAP marks a suite as failed if one of its tests failed. */
function isSuite(lines: readonly string[], at: number): boolean {
  if (!/^ *not ok /.test(lines[at] ?? "")) return false;
  const told = lines.slice(at + 1, at + 12);
  const end = told.findIndex((line) => /^ *\.\.\.$/.test(line));
  return told.slice(0, end === -1 ? 0 : end).some((line) => /failureType: '?subtestsFailed/.test(line));
}

/** Whether two results name their tests alike: runners print other names than they report. */
export function isToldAlike(one: TestCounts, other: TestCounts): boolean {
  return (one.by === undefined) === (other.by === undefined);
}

/**
 * Whether a result is as reliable as the one before any change: without a new contradiction, and with no report
 * missing.
 */
export function isTrusted(now: TestCounts, base: TestCounts | undefined): boolean {
  if (now.by === "contradiction") return base?.by === "contradiction";
  return now.by === "report" || base?.by === undefined;
}

/**
 * Whether a test of this name, in this file, is among the failing ones; a file that fails as a whole stands for its
 * tests.
 */
export function isAmongRed(red: readonly string[], { path, name }: { path: string; name: string }): boolean {
  return red.some((one) => {
    const [file = "", ...own] = one.split(" > ");
    const isOfFile = own.length > 0 && /\.\w+$/.test(file);
    if (isOfFile && !file.endsWith(path) && !path.endsWith(file)) return false;
    return one === name || one.endsWith(path) || hasWhole(isOfFile ? own.join(" > ") : one, name);
  });
}

function hasWhole(text: string, name: string): boolean {
  const at = name.length < 3 ? -1 : text.lastIndexOf(name);
  if (at === -1) return false;
  return !isWord(text.charAt(at - 1)) && !isWord(text.charAt(at + name.length));
}

function isWord(sign: string): boolean {
  return /[\p{L}\p{N}_]/u.test(sign);
}
