import { classify } from "../../../code/classify.ts";
import { runAwareLines } from "../../../code/tests/run-aware.ts";
import { standIns } from "../../../code/tests/stand-ins.ts";
import { type Concern, concern } from "../../../domain/concern.ts";
import type { FinishedChange } from "./finished-change.ts";

/**
 * Code that knows of tests outside of their files: what it makes a runner tell says nothing of what it does. And files of tests that
 * put something in the place of other modules, for the tests of all files (R-WORK-12).
 */
export async function actsUnderTest({ changes, read }: FinishedChange): Promise<Concern[]> {
  const found: Concern[] = [];
  for (const { path, change } of changes) {
    const { role, language } = classify(path);
    if (change === "deleted" || language === null) continue;
    const versions = { before: await read(path, "base"), after: await read(path, "head") };
    const names = role === "test" ? standIns(path, versions) : runAwareLines(versions);
    if (names.length > 0) found.push(concern(role === "test" ? "test setup" : "acts under test", { path, names }));
  }
  return found;
}
