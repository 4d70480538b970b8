import type { NewJob, Priority, QueueName } from "./queue.ts";

/** The higher is taken first. */
export const PRIORITIES: Record<Priority, number> = { direct: 10, normal: 0, background: -10 };

/** The engine keeps priorities in 32 bits. */
const LAST_RANK = 2_000_000_000;

/** Priorities with a worker of their own, which takes nothing more urgent: they must not starve. */
export const RESERVED: Record<QueueName, Priority[]> = {
  event: ["background"],
  acknowledge: [],
  wake: ["normal", "background"],
  task: [],
  status: [],
  upkeep: [],
  preflight: [],
};

export function priorityOf({ priority = "normal", rank }: NewJob): number {
  return rank === undefined ? PRIORITIES[priority] : -Math.min(rank, LAST_RANK);
}
