import type { Repository } from "../world/entities.ts";
import type { World } from "../world/world.ts";
import { showUser } from "./account.ts";
import { nodeId, time } from "./ids.ts";
import { pageUrl, repositoryUrl } from "./repository.ts";

/** A commit; the mock knows no more of it than its id. */
export function showCommit(world: World, repository: Repository, sha: string) {
  const url = repositoryUrl(world, repository);
  const who = { name: repository.owner, email: "noreply@github.com", date: time(repository.createdAt) };
  return {
    sha,
    node_id: nodeId("ref", sha),
    commit: {
      author: who,
      committer: who,
      message: "A change",
      tree: { sha, url: `${url}/git/trees/${sha}` },
      url: `${url}/git/commits/${sha}`,
      comment_count: 0,
      verification: { verified: false, reason: "unsigned", signature: null, payload: null, verified_at: null },
    },
    url: `${url}/commits/${sha}`,
    html_url: `${pageUrl(world, repository)}/commit/${sha}`,
    comments_url: `${url}/commits/${sha}/comments`,
    author: showUser(world, repository.owner),
    committer: showUser(world, repository.owner),
    parents: [],
  };
}
