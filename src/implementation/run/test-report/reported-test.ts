import { stripVTControlCharacters } from "node:util";

/** One test of a runner's own report. */
export interface ReportedTest {
  /** With the file or package in front where the report has it; empty for one that only counts. */
  name: string;
  /** `broken`: a file or package whose tests could not run; its name is all of theirs, and it is no test. */
  state: "passed" | "failed" | "skipped" | "broken";
}

/** What one run of a runner reported. */
export interface TestReport {
  /** As in `test-runners.ts`. */
  runner: string;
  tests: ReportedTest[];
}

/** More tests than this are no report. */
export const MOST_TESTS = 200_000;
const LONGEST_NAME = 200;

/** The name of a test on one line. */
export function testName(text: string): string {
  return stripVTControlCharacters(text.slice(0, 2 * LONGEST_NAME))
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, LONGEST_NAME)
    .toWellFormed();
}
