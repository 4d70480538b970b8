import { removeSecrets } from "../../../domain/text/secrets.ts";
import type { ChangedFile, Undone } from "../../../domain/work.ts";
import { classify } from "../../../code/classify.ts";
import { addedLines, shareKept, tellingLines } from "./added-lines.ts";
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
