import { changedTestFiles } from "../../../code/tests/changed-tests.ts";
import { type Weakening, type WeakeningKind, weakenings } from "../../../code/tests/compare-tests.ts";
import { type Concern, type ConcernKind, concern } from "../../../domain/concern.ts";
import type { WorkOrder } from "../work-order.ts";
import { belongsToPlan } from "./beside-plan.ts";
import type { FinishedChange } from "./finished-change.ts";

/** Characters that are shown of a name, and of code. */
const ROOM = { name: 40, code: 60 };

const KINDS: Record<WeakeningKind, ConcernKind> = {
  skipped: "test skipped",
  "skipped sometimes": "test skipped sometimes",
  only: "test alone",
  "new and skipped": "new test skipped",
  "test removed": "test removed",
  "assertion removed": "assertion removed",
  "assertion inverted": "assertion inverted",
  "always true": "assertion void",
  swallowed: "assertion void",
  "expectation changed": "expectation changed",
  rewritten: "test rewritten",
  exit: "test ends run",
  replaced: "assertion void",
};
/** What a change removes from tests or weakens in them: marks, assertions, expectations, whole tests (R-WORK-12). */
export async function weakerTests({ order, changes, read }: FinishedChange): Promise<Concern[]> {
  const files = await changedTestFiles(changes, read);
  const byPlace = Map.groupBy(weakenings(files), ({ kind, path }) => `${KINDS[kind]} ${path}`);
  return [...byPlace.values()].flatMap((found) => {
    const [first] = found;
    if (first === undefined) return [];
    const kind = KINDS[first.kind];
    const agreed = isAskedFor(kind, first.path, order);
    return [concern(kind, { path: first.path, agreed, names: found.map(nameOf) })];
  });
}

/**
 * Whether the plan or a review asks for such a change. Naming the test file allows changed expectations; a step or a
 * planned test file also allows rewritten tests. Nothing allows fewer or weaker tests.
 */
function isAskedFor(kind: ConcernKind, path: string, order: WorkOrder): boolean {
  if (kind === "expectation changed" || kind === "test skipped sometimes") return namesFile(order, path);
  if (kind !== "test rewritten") return false;
  const steps = order.plan.plan_steps.flatMap(({ files_involved }) => files_involved);
  return namesFile(order, path) || steps.includes(path) || belongsToPlan({ path, change: "modified" }, order.plan);
}

/** Whether the plan, or a change request of a review, names the file as one to change. */
export function namesFile({ plan, changeRequests }: Pick<WorkOrder, "plan" | "changeRequests">, path: string): boolean {
  return (
    plan.file_changes.some((file) => file.path === path) ||
    changeRequests.some((one) => one.path === path || one.text.includes(path))
  );
}

/** `adds up: assert.equal(total, 4) → assert.equal(total, 5)` */
function nameOf({ test, before, after }: Weakening): string {
  const name = shortened(test.slice(test.lastIndexOf(" > ") + 1).replace(/^> /, ""), ROOM.name);
  const code = [before, after].flatMap((one) => (one === null ? [] : [shortened(one, ROOM.code)])).join(" → ");
  return [name, code].filter((part) => part !== "").join(": ");
}

export function shortened(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}
