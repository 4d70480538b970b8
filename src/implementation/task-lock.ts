import { lockOfTask } from "../domain/work.ts";
import { RelayError } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import type { Database } from "../storage/db.ts";

/** Milliseconds until a job retries a task that another worker holds. */
const LATER_MS = 10_000;

/** Tasks that this process found with another worker: the log says so once, until it gets hold of them. */
const heldElsewhere = new Set<string>();

/**
 * Does the work while no other worker has the task. Where one has it, throws a transient error, so that the job is
 * retried; `asked` directly, it does nothing then.
 */
export async function withTaskLock(
  taskId: string,
  work: () => Promise<void>,
  { db, log, asked }: { db: Pick<Database, "tryLock">; log: Pick<Log, "info">; asked: "directly" | undefined },
): Promise<void> {
  const attempt = await db.tryLock(lockOfTask(taskId), async () => {
    heldElsewhere.delete(taskId);
    await work();
  });
  if (attempt.kind === "done") return;
  if (!heldElsewhere.has(taskId)) log.info({ task: taskId }, "another worker has the task");
  if (asked === "directly") return;
  heldElsewhere.add(taskId);
  // That worker may finish soon: the task was cancelled and requeued, or its process is dying.
  throw new RelayError("conflict", `another worker has the task ${taskId}`, {
    retryable: true,
    retryAfterMs: LATER_MS,
  });
}
