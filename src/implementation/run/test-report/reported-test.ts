import { stripVTControlCharacters } from "node:util";

/** One test in a runner's own report. */
export interface ReportedTest {
  /** Starts with the file or package if the report has it; empty for a test that is only counted. */
  name: string;
  /** `broken`: not a test, but a file or package whose tests could not run; its name stands for all of them. */
  state: "passed" | "failed" | "skipped" | "broken";
}

/** What one run of a runner reported. */
export interface TestReport {
  /** As in `test-runners.ts`. */
  runner: string;
  tests: ReportedTest[];
}

/** A report with more tests than this is ignored. */
export const MOST_TESTS = 200_000;
const LONGEST_NAME = 200;

/** The name of a test, on one line. */
export function testName(text: string): string {
  return stripVTControlCharacters(text.slice(0, 2 * LONGEST_NAME))
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, LONGEST_NAME)
    .toWellFormed();
}
