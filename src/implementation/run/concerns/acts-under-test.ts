import { classify } from "../../../code/classify.ts";
import { runAwareLines } from "../../../code/tests/run-aware.ts";
import { type Concern, concern } from "../../../domain/concern.ts";
import type { FinishedChange } from "./finished-change.ts";

/** Code outside of tests that knows of them: what it makes a runner tell says nothing of what it does (R-WORK-12). */
export async function actsUnderTest({ changes, read }: FinishedChange): Promise<Concern[]> {
  const found: Concern[] = [];
  for (const { path, change } of changes) {
    const { role, language } = classify(path);
    if (change === "deleted" || role === "test" || language === null) continue;
    const names = runAwareLines({ before: await read(path, "base"), after: await read(path, "head") });
    if (names.length > 0) found.push(concern("acts under test", { path, names }));
  }
  return found;
}
