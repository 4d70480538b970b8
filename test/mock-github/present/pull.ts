import type { Item, Pull, Repository, Review, ReviewComment } from "../world/entities.ts";
import type { World } from "../world/world.ts";
import { showUser } from "./account.ts";
import { nodeId, time, timeOrNull } from "./ids.ts";
import { showAssociation, showLabels, showReactions } from "./issue.ts";
import { pageUrl, repositoryUrl, showRepository } from "./repository.ts";

export type PullItem = Item & { pull: Pull };

export function showPull(world: World, repository: Repository, item: PullItem) {
  const { pull } = item;
  const repositoryAt = repositoryUrl(world, repository);
  const url = `${repositoryAt}/pulls/${item.number}`;
  const issue = `${repositoryAt}/issues/${item.number}`;
  const page = `${pageUrl(world, repository)}/pull/${item.number}`;
  const statuses = `${repositoryAt}/statuses/${pull.headSha}`;
  const assignees = item.assignees.map((login) => showUser(world, login));
  const side = (from: Repository, ref: string, sha: string) => ({
    label: `${from.owner}:${ref}`,
    ref,
    sha,
    user: showUser(world, from.owner),
    repo: showRepository(world, from),
  });
  return {
    url,
    id: pull.id,
    node_id: nodeId("pull", pull.id),
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    issue_url: issue,
    number: item.number,
    state: item.state,
    locked: item.locked,
    title: item.title,
    user: showUser(world, item.author),
    body: item.body,
    created_at: time(item.createdAt),
    updated_at: time(item.updatedAt),
    closed_at: timeOrNull(item.closedAt),
    merged_at: timeOrNull(pull.mergedAt),
    merge_commit_sha: pull.headSha,
    assignee: assignees[0] ?? null,
    assignees,
    requested_reviewers: pull.reviewers.map((login) => showUser(world, login)),
    requested_teams: [],
    labels: showLabels(world, repository, item),
    milestone: null,
    draft: pull.draft,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${repositoryAt}/pulls/comments{/number}`,
    comments_url: `${issue}/comments`,
    statuses_url: statuses,
    head: side(world.repositories.get(pull.headRepository) ?? repository, pull.head, pull.headSha),
    base: side(repository, pull.base, pull.baseSha),
    _links: {
      self: { href: url },
      html: { href: page },
      issue: { href: issue },
      comments: { href: `${issue}/comments` },
      review_comments: { href: `${url}/comments` },
      review_comment: { href: `${repositoryAt}/pulls/comments{/number}` },
      commits: { href: `${url}/commits` },
      statuses: { href: statuses },
    },
    author_association: showAssociation(world, repository, item.author),
    auto_merge: null,
    active_lock_reason: null,
  };
}

/** A pull request asked for by itself. */
export function showFullPull(world: World, repository: Repository, item: PullItem) {
  const merged = item.pull.mergedAt !== null;
  const mergeable = merged ? null : item.pull.mergeable;
  return {
    ...showPull(world, repository, item),
    merged,
    mergeable,
    rebaseable: mergeable,
    mergeable_state: mergeable === null ? "unknown" : !mergeable ? "dirty" : item.pull.draft ? "draft" : "clean",
    merged_by: item.pull.mergedBy === null ? null : showUser(world, item.pull.mergedBy),
    comments: item.comments.length,
    review_comments: item.pull.comments.length,
    maintainer_can_modify: false,
    commits: 1,
    additions: 1,
    deletions: 0,
    changed_files: 1,
  };
}

export function showReviewComment(world: World, repository: Repository, item: PullItem, comment: ReviewComment) {
  const url = `${repositoryUrl(world, repository)}/pulls/comments/${comment.id}`;
  const page = `${pageUrl(world, repository)}/pull/${item.number}#discussion_r${comment.id}`;
  const pull = `${repositoryUrl(world, repository)}/pulls/${item.number}`;
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: nodeId("reviewComment", comment.id),
    diff_hunk: `@@ -${comment.line},1 +${comment.line},1 @@`,
    path: comment.path,
    commit_id: item.pull.headSha,
    original_commit_id: item.pull.headSha,
    user: showUser(world, comment.author),
    body: comment.body,
    created_at: time(comment.createdAt),
    updated_at: time(comment.updatedAt),
    html_url: page,
    pull_request_url: pull,
    author_association: showAssociation(world, repository, comment.author),
    _links: { self: { href: url }, html: { href: page }, pull_request: { href: pull } },
    reactions: showReactions(comment.reactions, url),
    start_line: null,
    original_start_line: null,
    start_side: null,
    line: comment.line,
    original_line: comment.line,
    side: "RIGHT",
    ...(comment.inReplyTo === null ? {} : { in_reply_to_id: comment.inReplyTo }),
    original_position: 1,
    position: 1,
    subject_type: "line",
  };
}

export function showReview(world: World, repository: Repository, item: PullItem, review: Review) {
  const page = `${pageUrl(world, repository)}/pull/${item.number}#pullrequestreview-${review.id}`;
  const pull = `${repositoryUrl(world, repository)}/pulls/${item.number}`;
  return {
    id: review.id,
    node_id: nodeId("review", review.id),
    user: showUser(world, review.author),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: pull,
    author_association: showAssociation(world, repository, review.author),
    _links: { html: { href: page }, pull_request: { href: pull } },
    submitted_at: time(review.submittedAt),
    commit_id: item.pull.headSha,
  };
}
