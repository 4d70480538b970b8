import { classify } from "../../../code/classify.ts";
import { type Concern, concern } from "../../../domain/concern.ts";
import type { FixPlan } from "../../../domain/plan.ts";
import type { ChangedFile } from "../../../domain/work.ts";
import type { FinishedChange } from "./finished-change.ts";

/** How a change differs from what the plan says (R-WORK-11). Pure. */
export function besidePlan({ order, changes }: Pick<FinishedChange, "order" | "changes">): Concern[] {
  const planned = new Set(order.plan.file_changes.map(({ path }) => path));
  if (planned.size === 0) return [];
  const unplanned = changes.filter(({ path }) => !planned.has(path));
  const surprising = unplanned.filter((file) => !belongsToPlan(file, order.plan));
  return [
    ...(changes.length > 0 && unplanned.length === changes.length ? [concern("no planned file", {})] : []),
    ...surprising.map(({ path }) => concern("not planned", { path })),
  ];
}

const CHANGELOG =
  /(?:^|\/)(?:change-?log|changes|history|release[-_]notes)(?:\.[a-z]+)?$|^(?:\.changeset|changelog\.d|changelogs?|newsfragments|\.changes)\//i;

/**
 * Whether a file that the plan does not name goes with one that it names, so that its change surprises nobody: a test, a
 * lock file, an entry of a changelog. Pure.
 */
export function belongsToPlan({ path, change }: Pick<ChangedFile, "path" | "change">, plan: FixPlan): boolean {
  if (change === "deleted") return false;
  const planned = plan.file_changes.map((file) => file.path);
  switch (classify(path).role) {
    case "test":
      return change === "added" || planned.some((file) => stemOf(file) === stemOf(path));
    case "lock":
      return planned.some((file) => folderOf(file) === folderOf(path) && classify(file).role === "config");
    default:
      return CHANGELOG.test(path);
  }
}

/** `total` of `src/total.ts`, `test/total.test.ts`, `TotalTest.java` and `test_total.py`. */
function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\..*$/, "");
  return name.replace(/^(?:tests?|specs?)[-_](?=.)|(?<=.)[-_]?(?:tests?|specs?|IT)$/i, "").toLowerCase();
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}
