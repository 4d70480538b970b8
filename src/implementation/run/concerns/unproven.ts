import { changedTestFiles, changedTests } from "../../../code/tests/changed-tests.ts";
import { type Concern, concern } from "../../../domain/concern.ts";
import type { FinishedChange } from "./finished-change.ts";

/**
 * A change with new or changed tests, none of which fails without it (R-WORK-12): for a bug fix, nothing shows then
 * that the bug is fixed. No concern if this was not tried, was inconclusive, or if another branch was merged in.
 */
export async function unproven({ order, facts, changes, read }: FinishedChange): Promise<Concern[]> {
  if (facts.at(-1)?.proof?.none !== true || order.merge !== null) return [];
  const tests = changedTests(await changedTestFiles(changes, read)).filter(({ kind }) => kind !== "removed");
  return tests.length === 0 ? [] : [concern(order.isFix ? "fix unproven" : "unproven", {})];
}
