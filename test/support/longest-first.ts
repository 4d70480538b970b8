import { type TestSpecification, BaseSequencer } from "vitest/node";

/** Stories of whole programs take the longest; begun last, they would run when nothing else is left to run beside them. */
const LONG = [
  /\/storage\/embedded\/|\/e2e\/(?:cli\.|serve-work|package)|\/code\/mirror\/|\/test\/implementation\//,
  /\/e2e\/(?:faults|cli|eval|hostile|odd)|\/models\/agent|\/run\/loop|\/code\/index\/|\/engine\//,
  /\/test\/(?:e2e|plan|planner|budget|approval)\/|\/code\/(?:tools|outline)\/|\/run\/workspace\/|\/spec-stores\//,
  /\/test\//,
];

/** Of what runs together, the projects with the longest files first. */
const PROJECTS = ["database", "unit", "smoke", "long", "e2e", "story"];

/**
 * Runs the files of one project after the other, and the longest of each first: a worker is replaced, and loads all sources
 * again, where the next file is another project's.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return await Promise.resolve(files.toSorted((one, other) => byProject(one, other) || rank(one) - rank(other)));
  }
}

function byProject(one: TestSpecification, other: TestSpecification): number {
  return PROJECTS.indexOf(one.project.name) - PROJECTS.indexOf(other.project.name);
}

function rank({ moduleId }: TestSpecification): number {
  const at = LONG.findIndex((pattern) => pattern.test(moduleId));
  return at === -1 ? LONG.length : at;
}
