import { showApp } from "../present/app.ts";
import { showUser } from "../present/account.ts";
import { time } from "../present/ids.ts";
import { repositoryUrl } from "../present/repository.ts";
import type { App } from "../world/entities.ts";
import type { Doer } from "./doer.ts";
import { tell } from "./doer.ts";
import type { PullPlace } from "./pulls.ts";

/** GitHub's own App that runs workflows. */
const ACTIONS: App = {
  id: 15_368,
  slug: "github-actions",
  name: "GitHub Actions",
  owner: "github",
  clientId: "Iv1.05c79e9ad1f6bdfa",
  publicKey: "",
  permissions: { checks: "write", metadata: "read" },
  events: [],
  hook: null,
  createdAt: new Date("2018-07-30T09:30:17Z"),
};

/** Tells that the checks of a pull request's last commit are over. */
export function tellChecks(place: PullPlace, by: Doer, conclusion: string): void {
  const { world, repository, item } = place;
  const { pull } = item;
  const url = repositoryUrl(world, repository);
  const now = time(world.now());
  tell(place, by, "check_suite", "completed", () => {
    const id = world.nextId();
    const repo = { id: repository.id, url, name: repository.name };
    return {
      check_suite: {
        id,
        node_id: `CS_${id}`,
        head_branch: pull.head,
        head_sha: pull.headSha,
        status: "completed",
        conclusion,
        url: `${url}/check-suites/${id}`,
        before: pull.baseSha,
        after: pull.headSha,
        pull_requests: [
          {
            url: `${url}/pulls/${item.number}`,
            id: pull.id,
            number: item.number,
            head: { ref: pull.head, sha: pull.headSha, repo },
            base: { ref: pull.base, sha: pull.baseSha, repo },
          },
        ],
        app: showApp(world, ACTIONS),
        created_at: now,
        updated_at: now,
        rerequestable: true,
        runs_rerequestable: true,
        latest_check_runs_count: 1,
        check_runs_url: `${url}/check-suites/${id}/check-runs`,
        head_commit: {
          id: pull.headSha,
          tree_id: pull.headSha,
          message: item.title,
          timestamp: now,
          author: { name: item.author, email: `${showUser(world, item.author).id}@users.noreply.github.com` },
          committer: { name: "GitHub", email: "noreply@github.com" },
        },
      },
    };
  });
}
