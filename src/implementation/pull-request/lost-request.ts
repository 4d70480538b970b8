import type { CodeHost, PullRequest, PullRequests } from "../../adapters/trackers/code-host.ts";
import { hasMarkerOf } from "../../domain/marker.ts";
import type { Db } from "../../storage/db.ts";
import { findRequestByNumber } from "../../storage/pull-requests.ts";

/**
 * Relay's own open request for a branch that the database does not know: Relay opened it after the backup that was
 * restored, so it adopts the branch and the request as they are (R-WORK-7). Null if there is none.
 */
export async function findLostRequest(
  { project, branch }: { project: string; branch: string },
  { db, codeHost }: { db: Db; codeHost: Pick<PullRequests, "listPullRequests"> },
): Promise<PullRequest | null> {
  for (const one of await codeHost.listPullRequests(project, branch)) {
    const isOwn = one.state === "open" && hasMarkerOf("request", one.body);
    if (isOwn && (await findRequestByNumber(db, project, one.number)) === null) return one;
  }
  return null;
}

/** Whether the branch exists and does not belong to such a request. */
export async function isTaken(
  at: { project: string; branch: string },
  deps: { db: Db; codeHost: Pick<CodeHost, "branchExists" | "listPullRequests"> },
): Promise<boolean> {
  return (await deps.codeHost.branchExists(at.project, at.branch)) && (await findLostRequest(at, deps)) === null;
}
