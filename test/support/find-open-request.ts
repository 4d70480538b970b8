import type { PullRequest, PullRequestTracker } from "../../src/adapters/trackers/tracker.ts";

/** The open request of a branch; null where there is none. */
export async function openOn(
  tracker: Pick<PullRequestTracker, "listPullRequests">,
  project: string,
  head: string,
): Promise<PullRequest | null> {
  return (await tracker.listPullRequests(project, head)).find(({ state }) => state === "open") ?? null;
}
