import { capital, step } from "./change-steps.ts";
import type { DraftStep } from "./change-steps.ts";
import type { SpecTask } from "./input.ts";
import { inOrder } from "./order.ts";
import { namesOf, phrase } from "./phrase.ts";

const TITLE = 240;
const DONE = 200;

/** The steps of a spec's Implementation Plan (R-FIX-4), at most `most`: what does not fit is joined with what is before. */
export function stepsOfSpec(tasks: readonly SpecTask[], specPath: string, most: number): DraftStep[] {
  const ordered = inOrder(tasks);
  const there = [
    ...new Set(ordered.flatMap((task) => task.touchPoints.flatMap(({ path, isNew }) => (isNew ? [] : [path])))),
  ];
  const named = there.length === 0 ? "" : `, then ${namesOf(there)}`;
  const groups = grouped(ordered, most - 1);
  return [
    step(`Read the spec \`${specPath}\`${named}`, there),
    ...groups.map((group) =>
      step(group.map(sentenceOf).join(" Then: "), [
        ...new Set(group.flatMap(({ touchPoints }) => touchPoints.map(({ path }) => path))),
      ]),
    ),
  ];
}

function sentenceOf({ title, doneWhen }: SpecTask): string {
  const done = phrase(doneWhen, DONE);
  const what = capital(phrase(title, TITLE) || "What the spec says").replace(/[.。]$/, "");
  return done === "" || /^[-–—]$/.test(done) ? `${what}.` : `${what}. Done when: ${done.replace(/[.。]$/, "")}.`;
}

/** Neighbours go together, as evenly as can be. */
function grouped<T>(all: readonly T[], most: number): T[][] {
  const size = Math.ceil(all.length / Math.max(1, most));
  return Array.from({ length: Math.ceil(all.length / Math.max(1, size)) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  );
}
