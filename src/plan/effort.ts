import type { Effort, Risk } from "../domain/plan.ts";

const MINUTES: Record<Effort, number> = { TRIVIAL: 2, SIMPLE: 5, MODERATE: 15, COMPLEX: 30 };
const MANY_FILES = 5;

/** Estimates the effort from the number of steps and files (R-FIX-7). */
export function effortOf(steps: number, files: number): Effort {
  if (steps <= 3 && files === 1) return "TRIVIAL";
  if (steps <= 5 && files <= 2) return "SIMPLE";
  return steps <= 10 && files <= 5 ? "MODERATE" : "COMPLEX";
}

/** Minutes. */
export function durationOf(effort: Effort): number {
  return MINUTES[effort];
}

/** Why a person must check the result; null if no check is needed (R-FIX-7). Returns the first reason that applies. */
export function humanCheckReason(facts: {
  risk: Risk;
  paths: readonly string[];
  effort: Effort;
  flags: readonly string[];
}): string | null {
  const { risk, effort, flags } = facts;
  const listed = facts.paths.length === 0 ? "" : ` (${shortList(facts.paths)})`;
  const files = facts.paths.length === 1 ? "1 file" : `${facts.paths.length} files`;
  if (risk === "HIGH") {
    const why = flags.length === 0 ? "" : ` Triage saw ${flags.slice(0, 3).join("; ")}.`;
    return `HIGH risk: a maintainer must review the whole plan before any code changes.${why}`;
  }
  if (risk === "MEDIUM") {
    return `MEDIUM risk: the change affects ${files}${listed}. It comes as a draft pull request that a maintainer must approve.`;
  }
  if (facts.paths.length > MANY_FILES) {
    return `Large scope: ${files} are affected, more than ${MANY_FILES}. A person must review the result.`;
  }
  return effort === "COMPLEX" ? "Complex implementation: a person should verify the result." : null;
}

const LISTED = 3;

function shortList(paths: readonly string[]): string {
  const shown = paths.slice(0, LISTED).map((path) => path.slice(0, 120));
  return paths.length > LISTED ? `${shown.join(", ")}, …` : shown.join(", ");
}
