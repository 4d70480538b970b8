import { classify } from "../../../code/classify.ts";
import { runAwareLines } from "../../../code/tests/run-aware.ts";
import { goneChecks, standIns } from "../../../code/tests/stand-ins.ts";
import { type Concern, concern } from "../../../domain/concern.ts";
import type { FinishedChange } from "./finished-change.ts";
import { namesFile } from "./weaker-tests.ts";

/**
 * Finds code outside tests that detects tests: passing tests then prove nothing about it. In test files, finds
 * stand-ins for other modules or for assertions. In shell scripts, which no grammar parses as tests, also finds removed
 * and changed checks (R-WORK-12).
 */
export async function actsUnderTest({ order, changes, read }: FinishedChange): Promise<Concern[]> {
  const found: Concern[] = [];
  for (const { path, change } of changes) {
    const { role, language } = classify(path);
    if (change === "deleted" || language === null) continue;
    const versions = { before: await read(path, "base"), after: await read(path, "head") };
    const names = role === "test" ? standIns(path, versions) : runAwareLines(versions);
    if (names.length > 0) found.push(concern(role === "test" ? "test setup" : "acts under test", { path, names }));
    if (role !== "test") continue;
    const { removed, changed } = goneChecks(path, versions);
    const agreed = namesFile(order, path);
    if (removed.length > 0) found.push(concern("assertion removed", { path, names: removed }));
    if (changed.length > 0) found.push(concern("expectation changed", { path, names: changed, agreed }));
  }
  return found;
}
