import type { TestCase, TestFile } from "./test-file.ts";

/** A file that a change touches, with its tests before and after; null if the file does not exist. */
export interface ChangedTestFile {
  path: string;
  before: TestFile | null;
  after: TestFile | null;
}

/** A test before and after. */
export interface Pair {
  path: string;
  before: TestCase;
  after: TestCase;
}

interface Placed {
  path: string;
  test: TestCase;
}

/** How many pairs of tests are compared: to find a moved test, and to find a renamed one word by word. */
const MOST_COMPARED = { whole: 4_000_000, words: 40_000 };
/** Share of words that two versions of a test must have in common. */
const ALIKE = 0.6;

/** Pairs old tests with new ones: by name within a file, then by what they do, in any file. */
export function matched(files: readonly ChangedTestFile[]): { pairs: Pair[]; gone: Placed[]; fresh: Placed[] } {
  const pairs: Pair[] = [];
  let gone: Placed[] = [];
  let fresh: Placed[] = [];
  for (const { path, before, after } of files) {
    const left = new Map(Map.groupBy(after?.tests ?? [], ({ name }) => name));
    for (const test of before?.tests ?? []) {
      const named = left.get(test.name) ?? [];
      const same = named.findIndex(({ body }) => body === test.body);
      const [found] = named.splice(Math.max(0, same), 1);
      if (found !== undefined) pairs.push({ path, before: test, after: found });
      else gone.push({ path, test });
    }
    fresh.push(...[...left.values()].flat().map((test) => ({ path, test })));
  }
  const pairOff = (isSame: (one: Placed, other: Placed) => boolean, most: number) => {
    if (gone.length * fresh.length > most) return;
    gone = gone.filter((one) => {
      const at = fresh.findIndex((other) => isSame(one, other));
      const found = fresh[at];
      if (found === undefined) return true;
      fresh = fresh.toSpliced(at, 1);
      pairs.push({ path: found.path, before: one.test, after: found.test });
      return false;
    });
  };
  const { whole, words } = MOST_COMPARED;
  pairOff((one, other) => isTest(one) && one.test.body === other.test.body, whole);
  pairOff(
    (one, other) => isTest(one) && isNamesake(one, other) && (isSameFile(one, other) || isAlike(one, other)),
    whole,
  );
  pairOff((one, other) => isTest(one) && isTest(other) && isSameFile(one, other) && isAlike(one, other), words);
  return { pairs, gone: gone.filter(isTest), fresh };
}

function isTest({ test }: Placed): boolean {
  return test.name !== "";
}

function isSameFile(one: Placed, other: Placed): boolean {
  return one.path === other.path;
}

function isAlike(one: Placed, other: Placed): boolean {
  return alike(one.test, other.test) >= ALIKE;
}

function isNamesake(one: Placed, other: Placed): boolean {
  return lastName(one.test) === lastName(other.test);
}

function lastName({ name }: TestCase): string {
  return name.slice(name.lastIndexOf(" > ") + 1);
}

/** Share of words that two tests have in common, in [0, 1]. */
function alike(one: TestCase, other: TestCase): number {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  if (a.length < 5 || b.length < 5) return 0;
  const left = new Map<string, number>();
  for (const word of b) count(left, word, 1);
  const shared = a.filter((word) => take(left, word)).length;
  return shared / Math.max(a.length, b.length);
}

function wordsOf({ body }: TestCase): string[] {
  return body.match(/[\p{L}\p{N}_]+/gu) ?? [];
}

export function count(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

export function take(counts: Map<string, number>, key: string): boolean {
  const left = counts.get(key) ?? 0;
  if (left <= 0) return false;
  counts.set(key, left - 1);
  return true;
}
