import type { PullRequest, PullRequests } from "../../src/adapters/trackers/code-host.ts";

/** The open request of a branch; null where there is none. */
export async function openOn(
  tracker: Pick<PullRequests, "listPullRequests">,
  project: string,
  head: string,
): Promise<PullRequest | null> {
  return (await tracker.listPullRequests(project, head)).find(({ state }) => state === "open") ?? null;
}
