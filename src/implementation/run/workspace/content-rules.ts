import { removeSecrets } from "../../../domain/text/secrets/remove-secrets.ts";
import type { ChangedFile, RevertedChange } from "../../../domain/work.ts";
import { classify } from "../../../code/classify.ts";
import { shownPath } from "./raw-path.ts";
import type { Difference } from "./compare.ts";

/** A difference together with the contents that were read: exactly these bytes are checked and committed. */
export interface Change {
  difference: Difference;
  mode: "100644" | "100755" | "120000" | null;
  /** Null for a deleted file; `before` is null for a new one. */
  before: Buffer | null;
  after: Buffer | null;
}

/** Share of a test file that must remain. */
const KEPT = 0.5;

/** Everything that the contents of changes are checked against. */
export interface ContentRules {
  deletedByPlan: ReadonlySet<string>;
  /** The text of all added tests. */
  moved: string;
  /** Values of the repository's protected files, and secrets that the run's programs get (R-SAFE-7). */
  secrets: readonly string[];
}

/** Why the contents of a change are rejected; null if they are fine. */
export function rejectionOf(change: Change, { deletedByPlan, moved, secrets }: ContentRules): RevertedChange | null {
  const path = shownPath(change.difference.path);
  const before = textOf(change.before);
  const after = textOf(change.after);
  const added = `${change.before === null ? path : ""}\n${addedLines(before, after)}`;
  // Passwords in tests are made up.
  const passwords = !["test", "example"].includes(classify(path).role);
  // A protected file may keep its own values: `secrets` are those of the other files.
  const { found } = removeSecrets(added, { passwords, known: secrets, here: false });
  if (found.length > 0) {
    const shown = removeSecrets(path, { known: secrets }).text;
    return { path: shown, why: "secret", detail: `it adds what looks like a secret: ${found.join(", ")}` };
  }
  if (change.before === null || !isTest(path) || deletedByPlan.has(path)) return null;
  const lines = countMeaningful(before);
  const emptied = change.after === null || countMeaningful(after) < lines * KEPT;
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

/** The change as it appears in reports; lines are counted regardless of their order. */
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

/** Lines that occur more often in the new text than in the old one, in order. Linear in both lengths. */
function addedLines(before: string, after: string): string {
  const had = counted(before);
  const added = after.split(/\r?\n/).filter((line) => {
    const left = had.get(line) ?? 0;
    if (left > 0) had.set(line, left - 1);
    return left === 0;
  });
  return added.join("\n");
}

/** Share of the old text's meaningful lines that the new text still has, in [0, 1]. */
function shareKept(before: string, after: string): number {
  const lines = meaningfulLines(before);
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

/** The number of lines with at least one word. */
function countMeaningful(text: string): number {
  return meaningfulLines(text).length;
}

function meaningfulLines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => /\w/.test(line));
}

function counted(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split(/\r?\n/)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
