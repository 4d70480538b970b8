import { type DraftStep, capital, step } from "./change-steps.ts";
import type { PlanInput, SpecTask } from "./input.ts";
import { type Say, namesOf, phrase } from "./phrase.ts";

/** Whether nothing is to be built by a spec: it was declined, or its question only answered. */
export function buildsNothing(spec: Pick<NonNullable<PlanInput["spec"]>, "tasks"> | null | undefined): boolean {
  return spec != null && spec.tasks.length > 0 && spec.tasks.every(({ changesNothing }) => changesNothing);
}

/** What people have to do before anything is built, by a spec that builds something. */
export function tasksOfPeople(spec: PlanInput["spec"]): string[] {
  if (spec == null || buildsNothing(spec)) return [];
  return spec.tasks.flatMap(({ changesNothing, title }) => (changesNothing ? [phrase(title, TITLE)] : []));
}

/** The steps of a spec by which nothing is to be built: what people do instead. */
export function stepsOfNothing(tasks: readonly SpecTask[], say: Say): DraftStep[] {
  return tasks.map((task) => step(sentenceOf(task, say), []));
}

const TITLE = 240;
const DONE = 200;

/**
 * The steps of a spec's Implementation Plan (R-FIX-4), at most `most`; surplus tasks are merged with their neighbours.
 */
export function stepsOfSpec(tasks: readonly SpecTask[], most: number, say: Say): DraftStep[] {
  // No agent asks people.
  const ordered = inOrder(tasks.filter(({ changesNothing }) => !changesNothing));
  const there = [
    ...new Set(ordered.flatMap((task) => task.touchPoints.flatMap(({ path, isNew }) => (isNew ? [] : [path])))),
  ];
  const groups = grouped(ordered, most - 1);
  return [
    step(
      there.length === 0 ? say("read_spec") : say("read_spec_files", { files: namesOf(there, undefined, say) }),
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

/** Groups neighbours, as evenly as possible. */
function grouped<T>(all: readonly T[], most: number): T[][] {
  const size = Math.ceil(all.length / Math.max(1, most));
  return Array.from({ length: Math.ceil(all.length / Math.max(1, size)) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  );
}

/** Sorts tasks after those that block them, otherwise in the spec's order. Cycles are broken. */
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
