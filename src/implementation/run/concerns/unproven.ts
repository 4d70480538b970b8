import { changedTestFiles, changedTests } from "../../../code/tests/changed-tests.ts";
import { type Concern, concern } from "../../../domain/concern.ts";
import type { FinishedChange } from "./finished-change.ts";

/**
 * A change with new or changed tests of which none fails without it (R-WORK-12): in a bug fix, nothing shows then that the
 * bug is fixed. Nothing where that was not tried, or could not be told, and where another branch was merged in.
 */
export async function unproven({ order, facts, changes, read }: FinishedChange): Promise<Concern[]> {
  if (facts.at(-1)?.proof?.none !== true || order.merge !== null) return [];
  const tests = changedTests(await changedTestFiles(changes, read)).filter(({ kind }) => kind !== "removed");
  return tests.length === 0 ? [] : [concern(order.isFix ? "fix unproven" : "unproven", {})];
}
