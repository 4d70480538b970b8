import { type ChangedTestFile, type Pair, count, matched, take } from "./match-tests.ts";
import type { Assertion, Mark, TestCase, TestFile } from "./test-file.ts";

const WEAKENINGS = [
  /** A test that ran is now skipped, to do, or expected to fail. */
  "skipped",
  /** The same, under a condition. */
  "skipped sometimes",
  /** A test now runs alone, so that the others of its file do not run. */
  "only",
  /** A new test that is skipped. */
  "new and skipped",
  "test removed",
  "assertion removed",
  "assertion inverted",
  /** It cannot fail any more. */
  "always true",
  /** Its failure is caught. */
  "swallowed",
  /** It expects something else of the same value. */
  "expectation changed",
  /** It became another assertion, or other values are used in the test. */
  "rewritten",
  /** The process ends successfully in the middle of the tests, or whatever their result. */
  "exit",
  /** A function that asserts or runs tests was replaced. */
  "replaced",
] as const;
export type WeakeningKind = (typeof WEAKENINGS)[number];

/** How a change weakens a test. */
export interface Weakening {
  kind: WeakeningKind;
  path: string;
  /** In the new file; in the old one for removed code. From 1. */
  line: number;
  /** The test's name; empty for code outside of tests. */
  test: string;
  /** The code before and after; null if it did not or does not exist. */
  before: string | null;
  after: string | null;
}

/** How many values are shown. */
const MOST_VALUES = 5;

/**
 * How a change weakens the tests of its files (R-WORK-12): pure, regardless of what a plan asks for. Moved or renamed
 * tests and additions to tests do not count.
 */
export function weakenings(files: readonly ChangedTestFile[]): Weakening[] {
  const { pairs, gone, fresh } = matched(files);
  const found = files.flatMap(({ path, before, after }) => [
    ...newStatements("exit", path, before?.exits, after?.exits),
    ...newStatements("replaced", path, before?.replacements, after?.replacements),
  ]);
  const added = new Map<string, number>();
  for (const { text } of [...pairs.map(({ after }) => after), ...fresh.map(({ test }) => test)].flatMap(soundIn)) {
    count(added, text, 1);
  }
  for (const { text } of pairs.flatMap(({ before }) => soundIn(before))) count(added, text, -1);
  found.push(...pairs.flatMap((pair) => [...newMarks(pair), ...weakerAssertions(pair, added)]));
  const isThere = new Set(files.flatMap(({ path, after }) => (after === null ? [] : [path])));
  for (const { path, test } of gone) {
    // Deleting a whole file is reported elsewhere.
    if (!isThere.has(path)) continue;
    const isElsewhere = test.assertions.length > 0 && test.assertions.every(({ text }) => take(added, text));
    if (!isElsewhere)
      found.push({ kind: "test removed", path, line: test.line, test: test.name, before: null, after: null });
  }
  for (const { path, test } of fresh) {
    const only = test.marks.find(({ kind }) => kind === "only");
    const skip = test.marks.find(({ kind, conditional }) => kind !== "only" && !conditional);
    const mark = only ?? skip;
    if (mark !== undefined)
      found.push({
        kind: only === undefined ? "new and skipped" : "only",
        path,
        line: mark.line,
        test: test.name,
        before: null,
        after: mark.text,
      });
  }
  return deduplicated(found);
}

function newStatements(
  kind: "exit" | "replaced",
  path: string,
  before: TestFile["exits"] = [],
  after: TestFile["exits"] = [],
): Weakening[] {
  const had = new Map<string, number>();
  for (const { text } of before) count(had, text, 1);
  return after
    .filter(({ text }) => !take(had, text))
    .map(({ text, line }) => ({ kind, path, line, test: "", before: null, after: text }));
}

function newMarks({ path, before, after }: Pair): Weakening[] {
  const isRunning = !before.marks.some(({ kind, conditional }) => kind !== "only" && !conditional);
  const had = new Set(before.marks.map(markKey));
  const fresh = after.marks.filter((mark) => !had.has(markKey(mark)));
  return fresh.flatMap((mark): Weakening[] => {
    const at = { path, line: mark.line, test: after.name, before: null, after: mark.text };
    if (mark.kind === "only") return [{ kind: "only", ...at }];
    if (!isRunning) return [];
    const isChanged =
      mark.conditional && before.marks.some(({ kind, conditional }) => kind === mark.kind && conditional);
    return isChanged ? [] : [{ kind: mark.conditional ? "skipped sometimes" : "skipped", ...at }];
  });
}

function markKey({ kind, conditional, text }: Mark): string {
  return `${kind} ${conditional ? text : ""}`;
}

/**
 * What happened to the assertions of a test. `elsewhere`: texts of assertions that other tests gained in the change.
 */
function weakerAssertions({ path, before, after }: Pair, elsewhere: Map<string, number>): Weakening[] {
  if (before.name !== "" && before.body === after.body) return [];
  const lost = without(before.assertions.filter(isSound), after.assertions.filter(isSound));
  const got = without(after.assertions, before.assertions);
  const found: Weakening[] = [];
  const told = (kind: WeakeningKind, one: Assertion, other: Assertion | null) =>
    found.push({
      kind,
      path,
      line: other?.line ?? (kind === "assertion removed" ? after.line : one.line),
      test: after.name,
      before: one.code,
      after: other?.code ?? null,
    });
  const pairOff = (kind: WeakeningKind, isIt: (one: Assertion, other: Assertion) => boolean) => {
    for (const one of lost.slice()) {
      const at = got.findIndex((other) => isIt(one, other));
      const [other] = at === -1 ? [] : got.splice(at, 1);
      if (other === undefined) continue;
      lost.splice(lost.indexOf(one), 1);
      told(kind, one, other);
    }
  };
  pairOff("swallowed", (one, other) => other.swallowed && one.text === other.text);
  for (const one of lost.slice()) if (take(elsewhere, one.text)) lost.splice(lost.indexOf(one), 1);
  pairOff(
    "always true",
    (one, other) => isTautology(other) && other.operands.some((operand) => one.operands.includes(operand)),
  );
  pairOff("assertion inverted", (one, other) => isSound(other) && isOpposite(one, other));
  pairOff(
    "expectation changed",
    (one, other) =>
      isSound(other) && one.operands.some((operand) => !isPlainValue(operand) && other.operands.includes(operand)),
  );
  pairOff("rewritten", (one, other) => isSound(other) && one.claim === other.claim);
  pairOff("always true", (_one, other) => other.empty);
  pairOff("swallowed", (_one, other) => other.swallowed);
  pairOff("rewritten", (_one, other) => isSound(other));
  for (const one of lost) told("assertion removed", one, null);
  if (found.length === 0) found.push(...changedValues(path, before, after));
  return found;
}

/** Values that a test lost while its assertions stayed the same: expectations may be in variables and tables. */
function changedValues(path: string, before: TestCase, after: TestCase): Weakening[] {
  const gone = missingIn(before.values, after.values);
  const got = missingIn(after.values, before.values);
  if (gone.length === 0) return [];
  const operands = new Set(after.assertions.flatMap((one) => one.operands));
  const isExpected = gone.some(({ of }) => of === "" || (of !== null && operands.has(of)));
  const kind = isExpected ? "expectation changed" : "rewritten";
  return [{ kind, path, line: after.line, test: after.name, before: shown(gone), after: shown(got) }];
}

function shown(values: TestCase["values"]): string | null {
  const told = values
    .slice(0, MOST_VALUES)
    .map(({ of, text }) => (of === null || of === "" ? text : `${of} = ${text}`));
  return told.length === 0 ? null : told.join(", ");
}

function missingIn(values: TestCase["values"], others: TestCase["values"]): TestCase["values"][number][] {
  const left = new Map<string, number>();
  for (const { of, text } of others) count(left, `${of ?? "?"} ${text}`, 1);
  return values.filter(({ of, text }) => !take(left, `${of ?? "?"} ${text}`));
}

/** The same claim, negated, also by its literal: `equal(found, true)` and `equal(found, false)`. */
function isOpposite(one: Assertion, other: Assertion): boolean {
  if (one.claim !== other.claim || one.operands.length !== other.operands.length) return false;
  const flips = one.operands.filter((operand, at) => operand !== other.operands[at]);
  if (one.positive !== other.positive) return flips.length === 0;
  return (
    flips.length === 1 &&
    one.operands.every((operand, at) => {
      const now = other.operands[at] ?? "";
      return operand === now || (TRUTH.test(operand) && TRUTH.test(now) && operand.toLowerCase() !== now.toLowerCase());
    })
  );
}
const TRUTH = /^(?:true|false)$/i;

/** The sound assertions of a test. Those outside all tests are left out, since they may not run. */
function soundIn({ name, assertions }: TestCase): readonly Assertion[] {
  return name === "" ? [] : assertions.filter(isSound);
}

/** `assert.deepEqual(total(cart), total(cart))` */
function isTautology({ operands: [one, other, ...rest], positive, claim }: Assertion): boolean {
  return positive && one !== undefined && one === other && rest.length === 0 && !/(?:fail|throw|raise)/.test(claim);
}

function isSound({ empty, swallowed }: Assertion): boolean {
  return !empty && !swallowed;
}

function isPlainValue(operand: string): boolean {
  return /^(?:["'`].*|[\d.+-]+|true|false|null|undefined|None|True|False|nil)$/s.test(operand);
}

/** The assertions that the others lack, counting duplicates. */
function without(some: readonly Assertion[], others: readonly Assertion[]): Assertion[] {
  const left = new Map<string, number>();
  for (const other of others) count(left, keyOf(other), 1);
  return some.filter((one) => !take(left, keyOf(one)));
}

function keyOf({ text, empty, swallowed }: Assertion): string {
  return `${text} ${empty} ${swallowed}`;
}

/** Reports a mark on a group only once. */
function deduplicated(found: readonly Weakening[]): Weakening[] {
  const known = new Set<string>();
  return found.filter(({ kind, path, line, before, after, test }) => {
    const isMark = kind === "skipped" || kind === "skipped sometimes" || kind === "only" || kind === "new and skipped";
    const key = isMark ? `${kind} ${path} ${line}` : `${kind} ${path} ${line} ${test} ${before ?? ""} ${after ?? ""}`;
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
}
