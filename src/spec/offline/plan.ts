import type { Translate } from "../../domain/messages/messages.ts";
import type { SpecKey } from "../../domain/messages/spec.ts";
import type { Place, SpecFacts } from "./facts.ts";
import { scenariosOf } from "./scenarios.ts";

export interface PlannedTask {
  text: string;
  touchPoints: string[];
  doneWhen: string;
  /** Numbers of earlier tasks, or a dash. */
  blockedBy: string;
}

const RELATED = 2;

/** Where to begin, what else to look at, and the test that shows it; touch points come from findings. */
export function planOf(facts: SpecFacts, say: Translate<SpecKey>): PlannedTask[] {
  const [first, ...others] = facts.places;
  const scenarios = scenariosOf(facts, say);
  const [scenario] = scenarios;
  const tasks: PlannedTask[] = [
    {
      text: first === undefined ? say("task_fix_nowhere") : say(taskKey(facts), { place: named(first) }),
      touchPoints: first === undefined ? [] : [first.path],
      doneWhen:
        scenarios.length === 1 && scenario ? say("done_scenario", { text: scenario.name }) : say("done_scenarios"),
      blockedBy: "-",
    },
  ];
  const related = others.filter(
    (place, index) => place.path !== first?.path && others.findIndex((o) => o.path === place.path) === index,
  );
  for (const place of related.slice(0, RELATED)) {
    tasks.push({
      text: say("task_related", { text: named(place) }),
      touchPoints: [place.path],
      doneWhen: say("done_related"),
      blockedBy: "1",
    });
  }
  if (facts.kind !== "docs" && scenario) {
    tasks.push({
      text: say("task_test", { text: scenario.name }),
      touchPoints: facts.tests.slice(0, 1).map((test) => test.path),
      doneWhen: say("done_test"),
      blockedBy: "1",
    });
  }
  return tasks;
}

function taskKey(facts: SpecFacts): "task_fix" | "task_build" | "task_docs" {
  if (facts.kind === "docs") return "task_docs";
  return facts.kind === "feature" || facts.kind === "chore" ? "task_build" : "task_fix";
}

function named(place: Place): string {
  return place.symbol === null ? `\`${place.location}\`` : `\`${place.symbol}\` (\`${place.location}\`)`;
}
