import { issueName } from "../domain/issue.ts";
import { type Outage, type Trouble, isLong } from "../domain/outage.ts";
import { RelayError, Postponed } from "../lib/errors.ts";
import { runningRun, setOutage } from "../storage/runs.ts";
import type { Claim } from "./claim.ts";
import type { WorkerDeps } from "./worker.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** The run log's line about an outage and when Relay tries again; `outage` is null once it has lasted too long. */
export function outageText({ why }: Trouble, outage: Outage | null, now: Date): string {
  if (outage === null) return `${why}; this has gone on for a day, and the run ends`;
  return `${why}; again in ${durationText(outage.until.getTime() - now.getTime())}`;
}

function durationText(ms: number): string {
  return ms < 2 * MINUTE_MS ? `${Math.round(ms / SECOND_MS)} s` : `${Math.round(ms / MINUTE_MS)} min`;
}

/**
 * Sends the task's job back to the queue until the wait is over. Meanwhile the worker, the locks and the workspace are
 * free; the run then resumes where it was. Once an outage is long, the status comment mentions it. Returns the error
 * that the job must throw (R-WORK-15).
 */
export async function waitOut({ run, issue }: Claim, outage: Outage, deps: WorkerDeps): Promise<RelayError> {
  const now = deps.clock.now();
  await setOutage(deps.db, run.id, outage);
  if (isLong(outage, now)) await deps.jobs.sendStatus(issue);
  const retryAfterMs = Math.max(0, outage.until.getTime() - now.getTime());
  const why = `the run of ${issueName(issue)} waits: ${outage.why}`;
  return new RelayError("unavailable", why, { retryable: true, retryAfterMs });
}

/** Postpones a job that comes before the wait is over, such as a second job of the same task. */
export async function awaitEnd(taskId: string, { db, clock }: Pick<WorkerDeps, "db" | "clock">): Promise<void> {
  const until = (await runningRun(db, taskId))?.outage?.until ?? null;
  const rest = until === null ? 0 : until.getTime() - clock.now().getTime();
  if (rest > 0) throw new Postponed(`the task ${taskId} waits for the end of an outage`, { retryAfterMs: rest });
}
