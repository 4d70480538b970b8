import { AsyncLocalStorage } from "node:async_hooks";

/**
 * For whom something is done, from most to least urgent (R-SCALE-2). `direct`: somebody just spoke to Relay. `normal`:
 * people started the work. `background`: nobody waits for it.
 */
export const PRIORITIES = ["direct", "normal", "background"] as const;
export type Priority = (typeof PRIORITIES)[number];

const running = new AsyncLocalStorage<{ priority: Priority; first: boolean }>();

/** Runs `work` with this priority; jobs that it sends and requests that it makes have it too. */
export async function withPriority<T>(priority: Priority, work: () => Promise<T>): Promise<T> {
  return await running.run({ priority, first: priority === "direct" && goesFirst() }, work);
}

/** Runs `work` as direct work that goes before all other: somebody's words may halt something. */
export async function goingFirst<T>(work: () => Promise<T>): Promise<T> {
  return await running.run({ priority: "direct", first: true }, work);
}

/** Whether the running work goes before other direct work. */
export function goesFirst(): boolean {
  return running.getStore()?.first ?? false;
}

/** The priority of the running work; `normal` outside of jobs. */
export function currentPriority(): Priority {
  return running.getStore()?.priority ?? "normal";
}

export function moreUrgent(one: Priority, other: Priority): Priority {
  return PRIORITIES.indexOf(one) < PRIORITIES.indexOf(other) ? one : other;
}
