import type { CodeHost, PullRequest, PullRequests } from "../../adapters/trackers/code-host.ts";
import { hasMarkerOf } from "../../domain/marker.ts";
import type { Db } from "../../storage/db.ts";
import { findRequestByNumber } from "../../storage/pull-requests.ts";

/**
 * Relay's open request for a branch that its database does not know: it was opened after the backup that was restored, so
 * branch and request are taken as they stand (R-WORK-7). Null without one.
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

/** Whether a branch is there that is not such a request's. */
export async function isTaken(
  at: { project: string; branch: string },
  deps: { db: Db; codeHost: Pick<CodeHost, "branchExists" | "listPullRequests"> },
): Promise<boolean> {
  return (await deps.codeHost.branchExists(at.project, at.branch)) && (await findLostRequest(at, deps)) === null;
}
