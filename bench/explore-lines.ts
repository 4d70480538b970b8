// Whether the lines and symbols that the explorer shows of a file are those that the fix changed.
import { execFileSync } from "node:child_process";
import type { FoundFile } from "../src/code/search/search-code.ts";
import type { Case } from "./cases.ts";

export interface LinesHit {
  /** A symbol shown, or a part of one, of at most 120 lines, overlaps the change. */
  symbol: boolean;
  /** The first line shown is within ten lines of the change. */
  firstLine: boolean;
}

const LONGEST_SYMBOL = 120;
const NEAR = 10;

/** Compares what is shown of a file with the change; null where the case names no fix or the clone lacks it. */
export function linesHit(gitDirectory: string, one: Case, { path, lines, symbols }: FoundFile): LinesHit | null {
  const changed = changedLines(gitDirectory, one, path);
  if (changed.length === 0) return null;
  const [first] = lines;
  return {
    symbol: symbols.some(
      ({ start, end }) =>
        end - start < LONGEST_SYMBOL && changed.some((range) => range.start <= end && range.end >= start),
    ),
    firstLine:
      first !== undefined &&
      changed.some((range) => first.line >= range.start - NEAR && first.line <= range.end + NEAR),
  };
}

/** The lines of the old side that the fix changed; what it only adds counts for the two lines around it. */
function changedLines(gitDirectory: string, one: Case, path: string): { start: number; end: number }[] {
  if (one.fix_commit === undefined) return [];
  const git = ["--git-dir", gitDirectory, "diff", "--unified=0", "--no-renames", "--no-ext-diff", "--no-color"];
  const range = [one.base_commit, one.fix_commit, "--", path];
  let diff: string;
  try {
    diff = execFileSync("git", [...git, ...range], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return [];
  }
  return [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+/gm)].map(([, from, count]) => {
    const start = Number(from);
    const length = Number(count ?? 1);
    return length === 0 ? { start, end: start + 1 } : { start, end: start + length - 1 };
  });
}
