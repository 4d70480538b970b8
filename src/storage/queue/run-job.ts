import { z } from "zod";
import { goingFirst, withPriority } from "../../lib/priority.ts";
import { currentTrace, inSpan } from "../../lib/trace.ts";
import { FIRST_RANK, priorityOf } from "./priorities.ts";
import type { Job, NewJob, QueueName } from "./queue.ts";

/** The spans that led to a job (R-OBS-3): the last one, and others whose work it also does. */
export const tracesSchema = z.object({
  trace: z.string().exactOptional(),
  links: z.array(z.string()).exactOptional(),
});
export type Traces = z.infer<typeof tracesSchema>;

/** The spans of a new job. */
export function tracesOf({ trace = currentTrace() }: Pick<NewJob, "trace">): Traces {
  return trace === null ? {} : { trace };
}

/** Runs a job with the priority of its rank, in a span of the trace that it was sent in. */
export async function runJob(
  queue: QueueName,
  job: Job & Traces & { rank: number },
  handler: (job: Job) => Promise<void>,
): Promise<void> {
  const { id, key, subject, rank, trace = null, links = [] } = job;
  const priority = priorityOf(queue, rank);
  const attributes = {
    "messaging.operation.type": "process",
    "messaging.destination.name": queue,
    "messaging.message.id": id,
    "relay.priority": priority,
  };
  // Background work may take days, as a chain of jobs in which each one sends the next.
  const isApart = queue === "upkeep" || (priority === "background" && queue !== "event");
  const before = isApart
    ? { parent: null, links: trace === null ? links : [...links, trace] }
    : { parent: trace, links };
  const inTurn = async (work: () => Promise<void>) =>
    queue !== "task" && rank >= FIRST_RANK ? await goingFirst(work) : await withPriority(priority, work);
  await inTurn(async () => {
    await inSpan(`job ${queue}`, { kind: "consumer", attributes, ...before }, async () => {
      await handler({ id, key, subject });
    });
  });
}
