import { stripVTControlCharacters } from "node:util";
import type { TestCounts } from "../../domain/work.ts";
import { FIGURES, type Numbers, RUNNERS, type Runner, n } from "./test-runners.ts";

/** Characters that are read, from the end, where runners print their summary. */
const READ = 800_000;
const LONGEST_LINE = 2_000;
const LONGEST_NAME = 200;
/** Names that are kept of tests that fail, and of those that ran. */
const MOST_NAMES = { red: 200, ran: 1_000 };

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
  for (const { counts, adds, name, ran, ranAre } of RUNNERS) {
    const found = lines.flatMap((line) => counts(line) ?? []);
    const last = found.at(-1);
    if (last === undefined) continue;
    const sum = adds
      ? { total: added(found, "total"), failed: added(found, "failed"), skipped: added(found, "skipped") }
      : last;
    const red = namesIn(lines, name, MOST_NAMES.red);
    const named = ranIn(ran);
    return { ...sum, red, ...named, ...(ranAre !== undefined && "ran" in named ? { ranAre } : {}) };
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
