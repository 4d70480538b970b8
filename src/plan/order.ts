import type { SpecTask } from "./input.ts";

/** Tasks in an order in which each comes after what blocks it; otherwise as the spec has them. A circle is cut. */
export function inOrder(tasks: readonly SpecTask[]): SpecTask[] {
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
