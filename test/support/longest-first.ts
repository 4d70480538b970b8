import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/** Stories of whole programs take the longest; begun last, they would run when nothing else is left to run beside them. */
const LONG = [
  /\/test\/cli\.test/,
  /\/test\/faults\//,
  /\/test\/(?:cli-refusals|serve|flow|model|init|docs|plan|budgets|worker|hostile|eval|explore-command)/,
  /\/src\/store\/embedded\//,
  /\/test\//,
];

/** Runs the longest test files first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return await Promise.resolve(files.toSorted((one, other) => rank(one) - rank(other)));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const at = LONG.findIndex((pattern) => pattern.test(moduleId));
  return at === -1 ? LONG.length : at;
}
