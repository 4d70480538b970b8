import type { DraftStep } from "./change-steps.ts";
import { capital, step } from "./change-steps.ts";
import type { SpecTask } from "./input.ts";
import type { Say } from "./phrase.ts";
import { namesOf, phrase } from "./phrase.ts";

const TITLE = 240;
const DONE = 200;

/** The steps of a spec's Implementation Plan (R-FIX-4), at most `most`: what does not fit is joined with what is before. */
export function stepsOfSpec(tasks: readonly SpecTask[], specPath: string, most: number, say: Say): DraftStep[] {
  const ordered = inOrder(tasks);
  const there = [
    ...new Set(ordered.flatMap((task) => task.touchPoints.flatMap(({ path, isNew }) => (isNew ? [] : [path])))),
  ];
  const groups = grouped(ordered, most - 1);
  return [
    step(
      there.length === 0
        ? say("read_spec", { path: `\`${specPath}\`` })
        : say("read_spec_files", { path: `\`${specPath}\``, files: namesOf(there, undefined, say) }),
      there,
    ),
    ...groups.map((group) =>
      step(inTurn(group, say), [...new Set(group.flatMap(({ touchPoints }) => touchPoints.map(({ path }) => path)))]),
    ),
  ];
}

function inTurn(group: readonly SpecTask[], say: Say): string {
  const sentences = group.map((task) => sentenceOf(task, say));
  return sentences.map((text, at) => (at === 0 ? text : say("and_then", { text }))).join(" ");
}

function sentenceOf({ title, doneWhen }: SpecTask, say: Say): string {
  const done = phrase(doneWhen, DONE);
  const what = capital(phrase(title, TITLE) || say("spec_says")).replace(/[.。]$/, "");
  return done === "" || /^[-–—]$/.test(done)
    ? `${what}.`
    : say("done_when", { text: what, done: done.replace(/[.。]$/, "") });
}

/** Neighbours go together, as evenly as can be. */
function grouped<T>(all: readonly T[], most: number): T[][] {
  const size = Math.ceil(all.length / Math.max(1, most));
  return Array.from({ length: Math.ceil(all.length / Math.max(1, size)) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  );
}

/** Tasks in an order in which each comes after what blocks it; otherwise as the spec has them. A circle is cut. */
function inOrder(tasks: readonly SpecTask[]): SpecTask[] {
  const byNumber = new Map(tasks.map((task, at) => [task.number ?? String(at + 1), task]));
  const done = new Set<SpecTask>();
  const ordered: SpecTask[] = [];
  const add = (task: SpecTask) => {
    if (done.has(task)) return;
    done.add(task);
    for (const number of task.blockedBy) {
      const first = byNumber.get(number);
      if (first !== undefined) add(first);
    }
    ordered.push(task);
  };
  for (const task of tasks) add(task);
  return ordered;
}
