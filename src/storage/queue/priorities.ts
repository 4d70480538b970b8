import { type Priority, currentPriority, goesFirst } from "../../lib/priority.ts";
import type { NewJob, QueueName } from "./queue.ts";

/** Jobs with a higher rank are taken first. */
export const RANKS: Record<Priority, number> = { direct: 10, normal: 0, background: -10 };

/** For direct jobs that go before others, since a person's words may halt something. */
export const FIRST_RANK = 20;

/** The engine keeps priorities in 32 bits. */
const LAST_RANK = 2_000_000_000;

/** Priorities with a worker of their own, which takes nothing more urgent: they must not starve. */
export const RESERVED: Partial<Record<QueueName, Priority[]>> = {
  event: ["normal", "background"],
  wake: ["normal", "background"],
};

export function rankOf({ priority = currentPriority(), first = goesFirst(), rank }: NewJob): number {
  if (rank !== undefined) return -Math.min(rank, LAST_RANK);
  return first && priority === "direct" ? FIRST_RANK : RANKS[priority];
}

/**
 * The least rank of jobs that are put back, null where they keep theirs. A task that was taken goes before those that were
 * not: else these pass it each time that its run makes way for a moment.
 */
export function leastRankPutBack(queue: QueueName): number | null {
  return queue === "task" ? RANKS.normal + 1 : null;
}

/**
 * The priority with which a job of this rank runs. Ranks of tasks only order them among themselves; people started all
 * of them.
 */
export function priorityOf(queue: QueueName, rank: number): Priority {
  if (queue === "task") return "normal";
  return rank >= RANKS.direct ? "direct" : rank <= RANKS.background ? "background" : "normal";
}
