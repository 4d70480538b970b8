import { classify } from "../../../code/classify.ts";
import { stemOfTest } from "../../../code/tests/test-names.ts";
import { type Concern, concern } from "../../../domain/concern.ts";
import type { FixPlan } from "../../../domain/plan.ts";
import type { ChangedFile } from "../../../domain/work.ts";
import { blockedPaths } from "../workspace/protected-paths.ts";
import type { FinishedChange } from "./finished-change.ts";
import { fileName, folderOf } from "../../../lib/paths.ts";

/** How much larger than its plan a change may be without a concern: unplanned files, and lines per planned file. */
const USUAL = { files: 8, filesForEach: 3, lines: 600, linesForEach: 300 };

/** How a change differs from what the plan says (R-WORK-11). Pure. */
export function besidePlan({ order, changes }: Pick<FinishedChange, "order" | "changes">): Concern[] {
  const operations = new Map(order.plan.file_changes.map(({ path, operation }) => [path, operation]));
  if (operations.size === 0) return [];
  const unplanned = changes.filter(({ path }) => !operations.has(path));
  const surprising = unplanned.filter((file) => !belongsToPlan(file, order.plan));
  const gone = changes.filter(
    (file) => file.change === "deleted" && operations.get(file.path) !== "DELETE" && !isMoved(file, changes),
  );
  const lines = changes
    .filter((file) => !isMade(file.path) && !isOwnTest(file, order.plan))
    .reduce((sum, file) => sum + file.addedLines + file.removedLines, 0);
  const isLarge =
    surprising.length > Math.max(USUAL.files, USUAL.filesForEach * operations.size) ||
    lines > USUAL.lines + USUAL.linesForEach * operations.size;
  const numbers = { files: changes.length, lines, planned: operations.size };
  return [
    ...(changes.length > 0 && unplanned.length === changes.length ? [concern("no planned file", {})] : []),
    ...(isLarge ? [concern("much more", { numbers })] : []),
    ...gone.map(({ path }) => concern("deleted", { path })),
    ...surprising.map(({ path }) => concern("not planned", { path })),
  ];
}

/** What a diff does not show at a glance, such as links and modes of files (R-WORK-11). Pure. */
export function oddFiles({ order, changes, rules }: Pick<FinishedChange, "order" | "changes" | "rules">): Concern[] {
  const planned = new Set(order.plan.file_changes.map(({ path }) => path));
  const isProtected = blockedPaths({ blocked: rules.blocked, allowed: [] });
  return changes.flatMap(({ path, mark }) => {
    if (mark === undefined) return [];
    // Agreeing to a file is not agreeing to put another repository or folder in the place of protected files.
    const isInPlace = (mark === "submodule" || mark === "link") && isProtected(path, true);
    return [concern(mark, { path, agreed: planned.has(path) && !isInPlace })];
  });
}

/** Whether the change adds a file of the same name elsewhere. */
function isMoved({ path }: ChangedFile, changes: readonly ChangedFile[]): boolean {
  return changes.some((other) => other.change === "added" && fileName(other.path) === fileName(path));
}

/** A test that goes with the plan; its lines are not counted. */
function isOwnTest(file: ChangedFile, plan: FixPlan): boolean {
  return classify(file.path).role === "test" && belongsToPlan(file, plan);
}

/** Files that programs generate. */
function isMade(path: string): boolean {
  const { role } = classify(path);
  return role === "lock" || role === "generated" || role === "minified" || role === "vendored";
}

const CHANGELOG =
  /(?:^|\/)(?:change-?log|changes|history|release[-_]notes)(?:\.[a-z]+)?$|^(?:\.changeset|changelog\.d|changelogs?|newsfragments|\.changes)\//i;

/**
 * Whether a file that the plan does not name goes with one that it names, so that changing it surprises nobody: a test,
 * a lock file, a changelog entry. Pure.
 */
export function belongsToPlan({ path, change }: Pick<ChangedFile, "path" | "change">, plan: FixPlan): boolean {
  if (change === "deleted") return false;
  const planned = plan.file_changes.map((file) => file.path);
  switch (classify(path).role) {
    case "test":
      return change === "added" || planned.some((file) => stemOfTest(file) === stemOfTest(path));
    case "lock":
      return planned.some((file) => folderOf(file) === folderOf(path) && classify(file).role === "config");
    default:
      return CHANGELOG.test(path);
  }
}
