/**
 * How test runners print their figures and names: data for `test-results.ts`. `test-report/ask.ts` asks them for
 * reports of their own, which take precedence.
 */

export interface Numbers {
  total: number;
  failed: number;
  skipped: number;
}

/** How one runner prints its figures and the names of failing tests. */
export interface Runner {
  /** Its name in reports. */
  runner: string;
  /**
   * The figures in a line of its summary; null for any other line. Several lines are added up: one for each package.
   */
  counts: (line: string) => Numbers | null;
  /** The first group that matched is the name. */
  name: RegExp;
  /** The same for what passed: tests, files or classes; null if the runner prints none, or only some. */
  ran: RegExp | null;
  /** Whether each run overwrites the report of the previous one. */
  leavesOne?: true;
  /** Set if it prints files or classes instead of single tests. */
  ranAre?: "files";
}

export const n = (text: string | undefined): number => Number(text ?? 0);

/** Counts in any order: `1 failed, 3 passed`. */
function sumOf(line: string, failed: RegExp, passed: RegExp, others: RegExp): Numbers {
  const sum = (pattern: RegExp) => [...line.matchAll(pattern)].reduce((all, [, count]) => all + n(count), 0);
  const [red, skipped] = [sum(failed), sum(others)];
  return { total: red + sum(passed) + skipped, failed: red, skipped };
}

/** For figures followed by a word: `2 skipped, 1 todo`. */
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

/** The most reliable first: the first one whose summary was printed counts. */
export const RUNNERS: readonly Runner[] = [
  {
    runner: "jest",
    counts: exec(/^Tests: +((?:\d+ [a-z]+, )*)(\d+) total$/, ([, parts = "", total]) => ({
      total: n(total),
      failed: figuresIn(parts, /^failed$/),
      skipped: figuresIn(parts, NOT_RUN),
    })),
    name: /^ {2}● (?!Console|Test suite failed)(.+)$/,
    ran: /^PASS (?:\S+ )?(\S+\.\w+)/,
    ranAre: "files",
  },
  {
    runner: "vitest",
    counts: exec(/^ *Tests {2}((?:\d+ [a-z]+(?: \| )?)+) \((\d+)\)$/, ([, parts = "", total]) => ({
      total: n(total),
      failed: figuresIn(parts, /^failed$/),
      skipped: figuresIn(parts, NOT_RUN),
    })),
    name: /^ *FAIL {2,4}(?:\|[^|]+\| +|[\w-]+ +)?(\S+ > .+)$/,
    ran: /^ *✓ +(?:\|[^|]+\| +)?(\S+\.\w+) \(\d+ tests?/u,
    ranAre: "files",
  },
  {
    runner: "pytest",
    leavesOne: true,
    counts: (line) =>
      /^(?:=+ )?(?:\d+ [a-z]+(?:, )?)+ in [\d.]+s/.test(line)
        ? sumOf(line, /(\d+) (?:failed|errors?)\b/g, /(\d+) (?:passed|xpassed)\b/g, /(\d+) (?:skipped|xfailed)\b/g)
        : null,
    name: /^(?:FAILED|ERROR) (\S+\.py\S*)/,
    ran: /^(\S+\.py::.+?) PASSED\b/,
  },
  {
    runner: "cargo",
    counts: exec(/^test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored/, ([, passed, failed, ignored]) => ({
      total: n(passed) + n(failed) + n(ignored),
      failed: n(failed),
      skipped: n(ignored),
    })),
    name: /^test (\S+) \.\.\. FAILED$/,
    ran: /^test (\S+)(?: - should panic)? \.\.\. ok$/,
  },
  {
    runner: "dotnet",
    counts: exec(/Failed: +(\d+), Passed: +\d+, Skipped: +(\d+), Total: +(\d+)/, ([, failed, skipped, total]) => ({
      total: n(total),
      failed: n(failed),
      skipped: n(skipped),
    })),
    name: /^ {2}Failed (\S.*?) \[/,
    ran: null,
  },
  // Maven; lines with a time are about single classes.
  {
    runner: "maven",
    counts: (line) =>
      exec(
        /Tests run: (\d+), Failures: (\d+), Errors: (\d+)(?:, Skipped: (\d+))?/,
        ([, total, red, errors, skipped]) => ({
          total: n(total),
          failed: n(red) + n(errors),
          skipped: n(skipped),
        }),
      )(line.includes("Time elapsed") ? "" : line),
    name: /^\[ERROR\] +(\w+\.\w+):\d+/,
    ran: /Tests run: [1-9].*Time elapsed: .*? -{1,2} in (\S+)/,
    ranAre: "files",
  },
  {
    runner: "gradle",
    counts: exec(/^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?/, ([, total, failed, skipped]) => ({
      total: n(total),
      failed: n(failed),
      skipped: n(skipped),
    })),
    name: /^(\S+ > .+) FAILED$/,
    ran: null,
  },
  {
    runner: "phpunit",
    counts: (line) =>
      exec(/^OK \((\d+) tests?,/, ([, total]) => ({ total: n(total), failed: 0, skipped: 0 }))(line) ??
      (/^Tests: \d+, Assertions: /.test(line)
        ? {
            total: n(/^Tests: (\d+)/.exec(line)?.[1]),
            failed: n(/Failures: (\d+)/.exec(line)?.[1]) + n(/Errors: (\d+)/.exec(line)?.[1]),
            skipped: n(/Skipped: (\d+)/.exec(line)?.[1]) + n(/Incomplete: (\d+)/.exec(line)?.[1]),
          }
        : null),
    name: /^\d+\) (\S+::\S+)/,
    ran: null,
  },
  {
    runner: "rspec",
    counts: exec(/^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?/, ([, total, failed, skipped]) => ({
      total: n(total),
      failed: n(failed),
      skipped: n(skipped),
    })),
    name: /^rspec \S+ # (.+)$/,
    ran: null,
  },
  // minitest, test-unit
  {
    runner: "minitest",
    counts: exec(
      /^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors(?:, (\d+) (?:skips|pendings))?/,
      ([, total, failures, errors, skipped]) => ({
        total: n(total),
        failed: n(failures) + n(errors),
        skipped: n(skipped),
      }),
    ),
    name: /^(\w+#\w+)(?: \[|:$)/,
    ran: /^(\w+#\w+) = [\d.]+ s = \.$/,
  },
];

/** The figures of node's runner, mocha, unittest and bun are on lines of their own. */
export const FIGURES: readonly {
  runner: string;
  /** Whether there is no summary, only lines for single tests. */
  isOfTests?: true;
  total: RegExp | null;
  passed: RegExp;
  failed: RegExp;
  other: RegExp;
  name: RegExp;
  ran: Runner["ran"];
}[] = [
  {
    runner: "node",
    total: /^(?:#|ℹ) tests (\d+)$/u,
    passed: /^(?:#|ℹ) pass (\d+)$/u,
    failed: /^(?:#|ℹ) (?:fail|cancelled) (\d+)$/u,
    other: /^(?:#|ℹ) (?:skipped|todo) (\d+)$/u,
    name: /^ *(?:not ok \d+ - ((?:(?! # (?:TODO|SKIP)\b).)+)$|✖ (.+?)(?: \([\d.]+m?s\))$)/u,
    ran: /^ *(?:ok \d+ - ((?:(?! # (?:TODO|SKIP)\b).)+)$|✔ (.+?) \([\d.]+m?s\)$)/u,
  },
  {
    runner: "unittest",
    total: /^Ran (\d+) tests? in /,
    passed: /^(?!)(\d)/,
    failed: /^FAILED \((?:failures=(\d+)(?:, errors=(\d+))?|errors=(\d+))/,
    other: /^(?:OK|FAILED) \(.*?(?:skipped=(\d+)(?:, expected failures=(\d+))?|expected failures=(\d+))/,
    name: /^(?:FAIL|ERROR): (\S+(?: \([\w.]+\))?)/,
    ran: /^(\S+ \([\w.]+\))(?:\n.*)? \.\.\. ok$/,
  },
  {
    // Also bun.
    runner: "mocha",
    total: null,
    passed: /^ *(\d+) pass(?:ing(?: \([\w.]+\))?)?$/,
    failed: /^ *(\d+) fail(?:ing)?$/,
    other: /^ *(\d+) (?:pending|skip|todo)$/,
    name: /^ *(?:\d+\) (.+[^:])|\(fail\) (.+?)(?: \[[\d.]+ms\])?):?$/,
    ran: /^ *(?:(?:✔|✓) (.+?)(?: \(\d+ms\))?|\(pass\) (.+?)(?: \[[\d.]+ms\])?)$/u,
  },
  {
    runner: "go",
    isOfTests: true,
    // Go only tells how many with -v.
    total: null,
    passed: /^ *--- PASS: \S+( )/,
    failed: /^ *--- FAIL: \S+( )/,
    other: /^ *--- SKIP: \S+( )/,
    name: /^ *--- FAIL: (\S+)/,
    ran: /^(?: *--- PASS: (\S+)|ok {2}\t(\S+)\t(?!.*\[no tests to run\]))/,
  },
];
