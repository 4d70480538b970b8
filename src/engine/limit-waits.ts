import type { Issue } from "../domain/issue.ts";
import { RelayError } from "../lib/errors.ts";
import { currentPriority, withPriority } from "../lib/priority.ts";
import { setLimitWait } from "../storage/quotas.ts";
import type { OrchestratorDeps } from "./wake.ts";

/** Milliseconds; a shorter wait is over before anybody reads of it. */
const TOLD_MS = 60_000;

/**
 * Runs work on an issue that people wait for. If the tracker's limit keeps it waiting, the status comment says until when
 * (R-SCALE-2); the error is thrown on, so that the job comes back then.
 */
export async function tellingLimit<T>(
  find: () => Promise<Issue | null>,
  work: () => Promise<T>,
  { db, jobs }: Pick<OrchestratorDeps, "db" | "jobs">,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const ms = error instanceof RelayError && error.code === "rate_limited" ? (error.retryAfterMs ?? 0) : 0;
    const issue = ms >= TOLD_MS && currentPriority() !== "background" ? await find() : null;
    if (issue !== null) {
      await setLimitWait(db, issue.id, ms);
      // One write is free for it as long as any is.
      await withPriority("direct", async () => await jobs.sendStatus(issue));
    }
    throw error;
  }
}
