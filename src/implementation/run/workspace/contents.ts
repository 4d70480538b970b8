import { removeSecrets } from "../../../domain/text/secrets.ts";
import type { ChangedFile, Undone } from "../../../domain/work.ts";
import { classify } from "../../../code/classify.ts";
import { shownPath } from "./raw-path.ts";
import type { Difference } from "./compare.ts";

/** A difference with what was read of it: what is judged here is what is committed. */
export interface Change {
  difference: Difference;
  mode: "100644" | "100755" | "120000" | null;
  /** Null where the file goes, and where the commit had none. */
  before: Buffer | null;
  after: Buffer | null;
}

/** Of a test, so much must stay. */
const KEPT = 0.5;

/** Why the text of a change may not stand; null where it may. `moved` is the text of all tests that are added. */
export function objectionTo(change: Change, deletedByPlan: ReadonlySet<string>, moved: string): Undone | null {
  const path = shownPath(change.difference.path);
  const before = textOf(change.before);
  const after = textOf(change.after);
  const { found } = removeSecrets(`${change.before === null ? path : ""}\n${addedLines(before, after)}`);
  if (found.length > 0) return { path, why: "secret", detail: `it adds what looks like a secret: ${found.join(", ")}` };
  if (change.before === null || !isTest(path) || deletedByPlan.has(path)) return null;
  const lines = tellingLines(before);
  const emptied = change.after === null || tellingLines(after) < lines * KEPT;
  if (!emptied || (lines > 0 && shareKept(before, `${after}\n${moved}`) >= KEPT)) return null;
  const what = change.after === null ? "the plan does not delete it" : "most of it was taken out";
  return { path, why: "test removed", detail: what };
}

export function isTest(path: string): boolean {
  return classify(path).role === "test";
}

export function textOf(content: Buffer | null): string {
  return content === null ? "" : content.toString("utf8");
}

/** For people, with its lines counted without regard to their order. */
export function changedFile(change: Change): ChangedFile {
  const before = textOf(change.before);
  const after = textOf(change.after);
  return {
    path: shownPath(change.difference.path),
    change: change.difference.kind === "deleted" ? "deleted" : change.difference.head === null ? "added" : "modified",
    addedLines: lineCount(addedLines(before, after)),
    removedLines: lineCount(addedLines(after, before)),
  };
}

function lineCount(text: string): number {
  return text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}

/** The lines of the new text that the old one has not as often, in order: what a change brings in. Linear in both. */
function addedLines(before: string, after: string): string {
  const had = counted(before);
  const added = after.split(/\r?\n/).filter((line) => {
    const left = had.get(line) ?? 0;
    if (left > 0) had.set(line, left - 1);
    return left === 0;
  });
  return added.join("\n");
}

/** From 0 to 1: how many of the old text's lines that say something are among the new one's lines. */
function shareKept(before: string, after: string): number {
  const lines = telling(before);
  if (lines.length === 0) return 1;
  const has = counted(after);
  let kept = 0;
  for (const line of lines) {
    const left = has.get(line) ?? 0;
    if (left > 0) {
      has.set(line, left - 1);
      kept += 1;
    }
  }
  return kept / lines.length;
}

/** How many lines of a text hold a word. */
function tellingLines(text: string): number {
  return telling(text).length;
}

function telling(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => /\w/.test(line));
}

function counted(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split(/\r?\n/)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
