import { forbiddenPlaces } from "../approval/wished-places.ts";
import { isForbidden, placesMeant } from "../domain/statements/places-meant.ts";
import type { PlanInput, TriageInput } from "./input.ts";

/** Whether the issue's own text or a Non-goal of its spec forbids to change a file (R-CONF-9). */
export function forbiddenBy({
  issue,
  spec,
}: Pick<PlanInput | TriageInput, "issue" | "spec">): (path: string) => boolean {
  // The spec has heard the thread too, and knows what was taken back.
  const names =
    spec === null || spec === undefined
      ? forbiddenPlaces(issue, [], () => false).places.map(({ name }) => name)
      : spec.nonGoals.flatMap((text) => placesMeant(text).forbidden);
  return (path) => isForbidden(path, names);
}
