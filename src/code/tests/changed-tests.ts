import { classify } from "../classify.ts";
import { type ChangedTestFile, matched } from "./match-tests.ts";
import { testsIn } from "./read-tests.ts";
import type { TestCase } from "./test-file.ts";

/** A test that a change adds, changes or removes. */
export interface ChangedTest {
  /** The path of the file that contains or contained it. */
  path: string;
  /** Its own name, without those of the groups around it. */
  name: string;
  kind: "new" | "changed" | "removed";
  /** Its old name; missing if the name is the same. */
  before?: string;
  /** Its whole code, without comments. */
  body: string;
}

/** How many files are read. */
const MOST_FILES = 300;
/** How many tests are returned. */
const MOST_TESTS = 2_000;

/** Reads a file of a commit as text; null if it does not exist or is not text. */
type ReadFile = (path: string, at: "base" | "head") => Promise<string | null>;

/** The changed files that contain or contained tests, with their tests before and after. */
export async function changedTestFiles(
  changes: readonly { path: string }[],
  read: ReadFile,
): Promise<ChangedTestFile[]> {
  const files: ChangedTestFile[] = [];
  for (const { path } of changes.slice(0, MOST_FILES)) {
    const [before, after] = [await read(path, "base"), await read(path, "head")];
    if (!mayHoldTests(path, before) && !mayHoldTests(path, after)) continue;
    files.push({
      path,
      before: before === null ? null : await testsIn(path, before),
      after: after === null ? null : await testsIn(path, after),
    });
  }
  return files;
}

/** Languages and frameworks whose tests are among other code. */
const FRAMEWORK =
  /["'](?:node:)?(?:assert|chai)(?:\/\w+)?["']|\b(?:unittest|pytest|vitest|jest|mocha|junit|testng|PHPUnit|RSpec|minitest|xunit|nunit|MSTest)\b|node:test|#\[(?:\w+::)*(?:test|rstest)\b|cfg\(test\)/i;

function mayHoldTests(path: string, text: string | null): boolean {
  return text !== null && (classify(path).role === "test" || FRAMEWORK.test(text));
}

/**
 * The tests that differ between two states of some files (R-WORK-7), in the order of their files. Pure. A test that
 * only moved, or whose comments changed, does not count; one with only a new name counts as changed.
 */
export function changedTests(files: readonly ChangedTestFile[]): ChangedTest[] {
  const { pairs, gone, fresh } = matched(files);
  const found: ChangedTest[] = [
    ...fresh.map(({ path, test }) => ({ path, kind: "new" as const, name: ownName(test), body: test.body })),
    ...pairs.flatMap(({ path, before, after }) => {
      const [old, name] = [ownName(before), ownName(after)];
      if (old === name && !differs(before, after)) return [];
      return [{ path, kind: "changed" as const, name, ...(old === name ? {} : { before: old }), body: after.body }];
    }),
    ...gone.map(({ path, test }) => ({ path, kind: "removed" as const, name: ownName(test), body: test.body })),
  ];
  const named = found.filter(({ name }) => name !== "").slice(0, MOST_TESTS);
  const places = new Map(files.map(({ path }, at) => [path, at]));
  return named.toSorted((one, other) => (places.get(one.path) ?? 0) - (places.get(other.path) ?? 0));
}

function differs(before: TestCase, after: TestCase): boolean {
  return contentOf(before) !== contentOf(after);
}

function contentOf({ body, marks, values }: TestCase): string {
  return JSON.stringify([body, marks.map(({ kind, text }) => [kind, text]), values]);
}

function ownName({ name }: TestCase): string {
  return name.slice(name.lastIndexOf(" > ") + 1).replace(/^> /, "");
}
