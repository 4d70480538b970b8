import { stripVTControlCharacters } from "node:util";
import type { TestCounts } from "../../domain/work.ts";

/** Characters that are read, from the end, where runners print their summary. */
const READ = 800_000;
const LONGEST_LINE = 2_000;
const LONGEST_NAME = 200;
/** Names that are kept of tests that fail, and of those that ran. */
const MOST_NAMES = { red: 200, ran: 1_000 };

interface Numbers {
  total: number;
  failed: number;
  skipped: number;
}

/** How one runner prints its figures and the names of tests that fail. */
interface Runner {
  /** Of a line of its summary; null for any other line. */
  counts: (line: string) => Numbers | null;
  /** Several summaries are added up: one for each package; otherwise the last one is that of all. */
  adds: boolean;
  /** The first group that matched is the name. */
  name: RegExp;
  /** The same of what passed: tests, files or classes; null where the runner prints none, or only some. */
  ran: RegExp | null;
}

const n = (text: string | undefined): number => Number(text ?? 0);

/** Counts in any order: `1 failed, 3 passed`. */
function sumOf(line: string, failed: RegExp, passed: RegExp, others: RegExp): Numbers {
  const sum = (pattern: RegExp) => [...line.matchAll(pattern)].reduce((all, [, count]) => all + n(count), 0);
  const [red, skipped] = [sum(failed), sum(others)];
  return { total: red + sum(passed) + skipped, failed: red, skipped };
}

/** Of figures with a word behind them: `2 skipped, 1 todo`. */
function figuresIn(parts: string, word: RegExp): number {
  return [...parts.matchAll(/(\d+) ([a-z]+)/g)].reduce(
    (all, [, count, name = ""]) => all + (word.test(name) ? n(count) : 0),
    0,
  );
}

const NOT_RUN = /^(?:skipped|todo|pending)$/;

function exec(pattern: RegExp, make: (found: RegExpExecArray) => Numbers): Runner["counts"] {
  return (line) => {
    const found = pattern.exec(line);
    return found === null ? null : make(found);
  };
}

/** Most telling first: the first whose summary is printed counts. */
const RUNNERS: readonly Runner[] = [
  // jest
  {
    counts: exec(/^Tests: +((?:\d+ [a-z]+, )*)(\d+) total$/, ([, parts = "", total]) => ({
      total: n(total),
      failed: figuresIn(parts, /^failed$/),
      skipped: figuresIn(parts, NOT_RUN),
    })),
    adds: true,
    name: /^ {2}● (?!Console|Test suite failed)(.+)$/,
    ran: /^PASS (?:\S+ )?(\S+\.\w+)/,
  },
  // vitest
  {
    counts: exec(/^ *Tests {2}((?:\d+ [a-z]+(?: \| )?)+) \((\d+)\)$/, ([, parts = "", total]) => ({
      total: n(total),
      failed: figuresIn(parts, /^failed$/),
      skipped: figuresIn(parts, NOT_RUN),
    })),
    adds: true,
    name: /^ *FAIL {2,4}(?:\|[^|]+\| +|[\w-]+ +)?(\S+ > .+)$/,
    ran: /^ *✓ +(?:\|[^|]+\| +)?(\S+\.\w+) \(\d+ tests?/u,
  },
  // pytest
  {
    counts: (line) =>
      /^(?:=+ )?(?:\d+ [a-z]+(?:, )?)+ in [\d.]+s/.test(line)
        ? sumOf(line, /(\d+) (?:failed|errors?)\b/g, /(\d+) (?:passed|xpassed)\b/g, /(\d+) (?:skipped|xfailed)\b/g)
        : null,
    adds: true,
    name: /^(?:FAILED|ERROR) (\S+\.py\S*)/,
    ran: /^(\S+\.py::.+?) PASSED\b/,
  },
  // cargo
  {
    counts: exec(/^test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored/, ([, passed, failed, ignored]) => ({
      total: n(passed) + n(failed) + n(ignored),
      failed: n(failed),
      skipped: n(ignored),
    })),
    adds: true,
    name: /^test (\S+) \.\.\. FAILED$/,
    ran: /^test (\S+)(?: - should panic)? \.\.\. ok$/,
  },
  // dotnet
  {
    counts: exec(/Failed: +(\d+), Passed: +\d+, Skipped: +(\d+), Total: +(\d+)/, ([, failed, skipped, total]) => ({
      total: n(total),
      failed: n(failed),
      skipped: n(skipped),
    })),
    adds: true,
    name: /^ {2}Failed (\S.*?) \[/,
    ran: null,
  },
  // Maven; the lines with a time are of single classes
  {
    counts: (line) =>
      exec(
        /Tests run: (\d+), Failures: (\d+), Errors: (\d+)(?:, Skipped: (\d+))?/,
        ([, total, red, errors, skipped]) => ({
          total: n(total),
          failed: n(red) + n(errors),
          skipped: n(skipped),
        }),
      )(line.includes("Time elapsed") ? "" : line),
    adds: true,
    name: /^\[ERROR\] +(\w+\.\w+):\d+/,
    ran: /Tests run: [1-9].*Time elapsed: .*? -{1,2} in (\S+)/,
  },
  // Gradle
  {
    counts: exec(/^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?/, ([, total, failed, skipped]) => ({
      total: n(total),
      failed: n(failed),
      skipped: n(skipped),
    })),
    adds: true,
    name: /^(\S+ > .+) FAILED$/,
    ran: null,
  },
  // PHPUnit
  {
    counts: (line) =>
      exec(/^OK \((\d+) tests?,/, ([, total]) => ({ total: n(total), failed: 0, skipped: 0 }))(line) ??
      (/^Tests: \d+, Assertions: /.test(line)
        ? {
            total: n(/^Tests: (\d+)/.exec(line)?.[1]),
            failed: n(/Failures: (\d+)/.exec(line)?.[1]) + n(/Errors: (\d+)/.exec(line)?.[1]),
            skipped: n(/Skipped: (\d+)/.exec(line)?.[1]) + n(/Incomplete: (\d+)/.exec(line)?.[1]),
          }
        : null),
    adds: true,
    name: /^\d+\) (\S+::\S+)/,
    ran: null,
  },
  // RSpec
  {
    counts: exec(/^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?/, ([, total, failed, skipped]) => ({
      total: n(total),
      failed: n(failed),
      skipped: n(skipped),
    })),
    adds: true,
    name: /^rspec \S+ # (.+)$/,
    ran: null,
  },
  // minitest, test-unit
  {
    counts: exec(
      /^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors(?:, (\d+) (?:skips|pendings))?/,
      ([, total, failures, errors, skipped]) => ({
        total: n(total),
        failed: n(failures) + n(errors),
        skipped: n(skipped),
      }),
    ),
    adds: true,
    name: /^(\w+#\w+)(?: \[|:$)/,
    ran: /^(\w+#\w+) = [\d.]+ s = \.$/,
  },
];

/** The figures of node's runner, mocha, unittest and bun stand on lines of their own. */
const FIGURES: readonly {
  total: RegExp | null;
  passed: RegExp;
  failed: RegExp;
  other: RegExp;
  name: RegExp;
  ran: Runner["ran"];
}[] = [
  {
    total: /^(?:#|ℹ) tests (\d+)$/u,
    passed: /^(?:#|ℹ) pass (\d+)$/u,
    failed: /^(?:#|ℹ) (?:fail|cancelled) (\d+)$/u,
    other: /^(?:#|ℹ) (?:skipped|todo) (\d+)$/u,
    name: /^ *(?:not ok \d+ - ((?:(?! # (?:TODO|SKIP)\b).)+)$|✖ (.+?)(?: \([\d.]+m?s\))$)/u,
    ran: /^ *(?:ok \d+ - ((?:(?! # (?:TODO|SKIP)\b).)+)$|✔ (.+?) \([\d.]+m?s\)$)/u,
  },
  {
    total: /^Ran (\d+) tests? in /,
    passed: /^(?!)(\d)/,
    failed: /^FAILED \((?:failures=(\d+)(?:, errors=(\d+))?|errors=(\d+))/,
    other: /^(?:OK|FAILED) \(.*?(?:skipped=(\d+)(?:, expected failures=(\d+))?|expected failures=(\d+))/,
    name: /^(?:FAIL|ERROR): (\S+(?: \([\w.]+\))?)/,
    ran: /^(\S+ \([\w.]+\))(?:\n.*)? \.\.\. ok$/,
  },
  {
    total: null,
    passed: /^ *(\d+) pass(?:ing(?: \([\w.]+\))?)?$/,
    failed: /^ *(\d+) fail(?:ing)?$/,
    other: /^ *(\d+) (?:pending|skip|todo)$/,
    name: /^ *(?:\d+\) (.+[^:])|\(fail\) (.+?)(?: \[[\d.]+ms\])?):?$/,
    ran: /^ *(?:(?:✔|✓) (.+?)(?: \(\d+ms\))?|\(pass\) (.+?)(?: \[[\d.]+ms\])?)$/u,
  },
  {
    // Go tells how many only with -v.
    total: null,
    passed: /^ *--- PASS: \S+( )/,
    failed: /^ *--- FAIL: \S+( )/,
    other: /^ *--- SKIP: \S+( )/,
    name: /^ *--- FAIL: (\S+)/,
    ran: /^(?: *--- PASS: (\S+)|ok {2}\t(\S+)\t(?!.*\[no tests to run\]))/,
  },
];

/**
 * What a runner of tests printed of its result: how many tests, how many of them fail, and which. Null for output of
 * programs that it does not know, or without figures.
 */
export function testResults(printed: string): TestCounts | null {
  const text = stripVTControlCharacters(printed.slice(-READ));
  const isWhole = text.length <= READ && printed.length <= READ && !LEFT_OUT.test(text);
  const lines = text.split("\n").map((line) => line.replace(/\r$/, "").slice(0, LONGEST_LINE));
  const ranIn = (pattern: Runner["ran"]) => {
    const names = isWhole && pattern !== null ? namesIn(lines, pattern, MOST_NAMES.ran + 1) : [];
    return names.length === 0 || names.length > MOST_NAMES.ran ? {} : { ran: names };
  };
  for (const { counts, adds, name, ran } of RUNNERS) {
    const found = lines.flatMap((line) => counts(line) ?? []);
    const last = found.at(-1);
    if (last === undefined) continue;
    const sum = adds
      ? { total: added(found, "total"), failed: added(found, "failed"), skipped: added(found, "skipped") }
      : last;
    return { ...sum, red: namesIn(lines, name, MOST_NAMES.red), ...ranIn(ran) };
  }
  for (const { total, passed, failed, other, name, ran } of FIGURES) {
    const all = total === null ? null : figure(lines, total);
    const [good, bad, rest] = [figure(lines, passed), figure(lines, failed), figure(lines, other)];
    if (total === null ? good === null && bad === null : all === null) continue;
    const red = namesIn(failingPart(lines), name, MOST_NAMES.red);
    const counted = good === null ? null : good + (bad ?? 0) + (rest ?? 0);
    const sum = all ?? counted;
    return { total: sum, failed: bad ?? 0, ...(sum === null ? {} : { skipped: rest ?? 0 }), red, ...ranIn(ran) };
  }
  return ofPackages(lines);
}

/** Where output was too long to be kept whole. */
const LEFT_OUT = /^\[\d+ characters are left out\]$/m;

/** Go, without `-v`, tells only the packages whose tests passed. */
function ofPackages(lines: readonly string[]): TestCounts | null {
  const ran = namesIn(lines, /^ok {2}\t(\S+)\t(?!.*\[no tests to run\])/, MOST_NAMES.ran);
  return ran.length === 0 ? null : { total: null, failed: 0, red: [], ran };
}

function added(all: readonly Numbers[], of: keyof Numbers): number {
  return all.reduce((sum, one) => sum + one[of], 0);
}

/** The sum of all lines with such a figure; a line with none counts as one. Null without such a line. */
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

/** Node repeats at the end the tests that fail, without the suites around them. */
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

/** TAP says of a suite that one of its tests failed. */
function isSuite(lines: readonly string[], at: number): boolean {
  if (!/^ *not ok /.test(lines[at] ?? "")) return false;
  const told = lines.slice(at + 1, at + 12);
  const end = told.findIndex((line) => /^ *\.\.\.$/.test(line));
  return told.slice(0, end === -1 ? 0 : end).some((line) => /failureType: '?subtestsFailed/.test(line));
}

/** Whether a test of this name, in this file, is among those that fail; a file that fails as a whole stands for its tests. */
export function isAmongRed(red: readonly string[], { path, name }: { path: string; name: string }): boolean {
  return red.some((one) => one === name || one.endsWith(path) || hasWhole(one, name));
}

function hasWhole(text: string, name: string): boolean {
  const at = name.length < 3 ? -1 : text.lastIndexOf(name);
  if (at === -1) return false;
  return !isWord(text.charAt(at - 1)) && !isWord(text.charAt(at + name.length));
}

function isWord(sign: string): boolean {
  return /[\p{L}\p{N}_]/u.test(sign);
}
