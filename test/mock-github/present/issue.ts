import { type Comment, type Item, type Label, type Reaction, type Repository, CONTENTS } from "../world/entities.ts";
import type { World } from "../world/world.ts";
import { showUser } from "./account.ts";
import { showApp } from "./app.ts";
import { nodeId, time, timeOrNull } from "./ids.ts";
import { pageUrl, repositoryUrl } from "./repository.ts";

export function showReactions(reactions: Reaction[], url: string) {
  const counts = CONTENTS.map((content) => [content, reactions.filter((each) => each.content === content).length]);
  return { url: `${url}/reactions`, total_count: reactions.length, ...Object.fromEntries(counts) };
}

export function showReaction(world: World, reaction: Reaction) {
  return {
    id: reaction.id,
    node_id: nodeId("reaction", reaction.id),
    user: showUser(world, reaction.login),
    content: reaction.content,
    created_at: time(reaction.createdAt),
  };
}

export function showLabel(world: World, repository: Repository, label: Label) {
  return {
    id: label.id,
    node_id: nodeId("label", label.id),
    url: `${repositoryUrl(world, repository)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    color: label.color,
    default: false,
    description: label.description,
  };
}

export function showLabels(world: World, repository: Repository, item: Item) {
  return item.labels.flatMap((name) => {
    const label = repository.labels.find((each) => each.name === name);
    return label ? [showLabel(world, repository, label)] : [];
  });
}

export function showAssociation(world: World, repository: Repository, login: string): string {
  if (login.toLowerCase() === repository.owner.toLowerCase()) return "OWNER";
  return world.isCollaborator(repository, login) ? "COLLABORATOR" : "NONE";
}

function showVia(world: World, appId: number | null) {
  const app = appId === null ? undefined : world.apps.get(appId);
  return app ? showApp(world, app) : null;
}

/** An issue, or a pull request as the issues' part of the API shows it. */
export function showIssue(world: World, repository: Repository, item: Item) {
  const repositoryAt = repositoryUrl(world, repository);
  const url = `${repositoryAt}/issues/${item.number}`;
  const kind = item.pull ? "pull" : "issues";
  const page = `${pageUrl(world, repository)}/${kind}/${item.number}`;
  const assignees = item.assignees.map((login) => showUser(world, login));
  return {
    url,
    repository_url: repositoryAt,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: page,
    id: item.id,
    node_id: nodeId(item.pull ? "pull" : "issue", item.pull?.id ?? item.id),
    number: item.number,
    title: item.title,
    user: showUser(world, item.author),
    labels: showLabels(world, repository, item),
    state: item.state,
    locked: item.locked,
    assignee: assignees[0] ?? null,
    assignees,
    milestone: null,
    comments: item.comments.length,
    created_at: time(item.createdAt),
    updated_at: time(item.updatedAt),
    closed_at: timeOrNull(item.closedAt),
    author_association: showAssociation(world, repository, item.author),
    active_lock_reason: null,
    ...(item.pull === null
      ? { sub_issues_summary: { total: 0, completed: 0, percent_completed: 0 } }
      : {
          pull_request: {
            url: `${repositoryAt}/pulls/${item.number}`,
            html_url: page,
            diff_url: `${page}.diff`,
            patch_url: `${page}.patch`,
            merged_at: timeOrNull(item.pull.mergedAt),
          },
        }),
    draft: item.pull?.draft ?? false,
    body: item.body,
    closed_by: item.closedBy === null ? null : showUser(world, item.closedBy),
    reactions: showReactions(item.reactions, url),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: showVia(world, item.appId),
    state_reason: item.stateReason,
  };
}

export function showComment(world: World, repository: Repository, item: Item, comment: Comment) {
  const url = `${repositoryUrl(world, repository)}/issues/comments/${comment.id}`;
  const kind = item.pull ? "pull" : "issues";
  return {
    url,
    html_url: `${pageUrl(world, repository)}/${kind}/${item.number}#issuecomment-${comment.id}`,
    issue_url: `${repositoryUrl(world, repository)}/issues/${item.number}`,
    id: comment.id,
    node_id: nodeId("comment", comment.id),
    user: showUser(world, comment.author),
    created_at: time(comment.createdAt),
    updated_at: time(comment.updatedAt),
    author_association: showAssociation(world, repository, comment.author),
    body: comment.body,
    reactions: showReactions(comment.reactions, url),
    performed_via_github_app: showVia(world, comment.appId),
  };
}
