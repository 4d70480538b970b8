import { forbiddenPlaces } from "../approval/wished-places.ts";
import { placesLeftOut } from "../domain/statements/left-out.ts";
import { isForbidden } from "../domain/statements/file-names.ts";
import type { PlanInput, TriageInput } from "./input.ts";

/**
 * What the issue's own text or a Non-goal of its spec forbids to change (R-CONF-9): the names as written, and whether a
 * file is one.
 */
export function forbiddenBy({ issue, spec }: Pick<PlanInput | TriageInput, "issue" | "spec">): {
  names: string[];
  isForbidden: (path: string) => boolean;
} {
  // The spec takes in the thread too, including what was taken back.
  const names =
    spec === null || spec === undefined
      ? forbiddenPlaces(issue, [], () => false).places.map(({ name }) => name)
      : spec.nonGoals.flatMap((text) => placesLeftOut(text));
  return { names, isForbidden: (path) => isForbidden(path, names) };
}
