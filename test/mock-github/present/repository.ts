import type { Repository, Role } from "../world/entities.ts";
import { type World, roleAtLeast } from "../world/world.ts";
import { showUser } from "./account.ts";
import { nodeId, time } from "./ids.ts";

export function repositoryUrl(world: World, { owner, name }: Repository): string {
  return `${world.api}/repos/${owner}/${name}`;
}

export function pageUrl(world: World, { owner, name }: Repository): string {
  return `${world.html}/${owner}/${name}`;
}

export function showPermissions(role: Role) {
  return {
    admin: roleAtLeast(role, "admin"),
    maintain: roleAtLeast(role, "maintain"),
    push: roleAtLeast(role, "write"),
    triage: roleAtLeast(role, "triage"),
    pull: roleAtLeast(role, "read"),
  };
}

/** A repository as lists, pull requests and webhooks have it. `role` is the asker's; left out where nobody asks. */
export function showRepository(world: World, repository: Repository, role?: Role) {
  const url = repositoryUrl(world, repository);
  const page = pageUrl(world, repository);
  const fullName = `${repository.owner}/${repository.name}`;
  const host = new URL(world.html).host;
  const open = [...repository.items.values()].filter((each) => each.state === "open" && each.gone === null).length;
  return {
    id: repository.id,
    node_id: nodeId("repository", repository.id),
    name: repository.name,
    full_name: fullName,
    private: repository.private,
    owner: showUser(world, repository.owner),
    html_url: page,
    description: null,
    fork: false,
    url,
    forks_url: `${url}/forks`,
    keys_url: `${url}/keys{/key_id}`,
    collaborators_url: `${url}/collaborators{/collaborator}`,
    teams_url: `${url}/teams`,
    hooks_url: `${url}/hooks`,
    issue_events_url: `${url}/issues/events{/number}`,
    events_url: `${url}/events`,
    assignees_url: `${url}/assignees{/user}`,
    branches_url: `${url}/branches{/branch}`,
    tags_url: `${url}/tags`,
    blobs_url: `${url}/git/blobs{/sha}`,
    git_tags_url: `${url}/git/tags{/sha}`,
    git_refs_url: `${url}/git/refs{/sha}`,
    trees_url: `${url}/git/trees{/sha}`,
    statuses_url: `${url}/statuses/{sha}`,
    languages_url: `${url}/languages`,
    stargazers_url: `${url}/stargazers`,
    contributors_url: `${url}/contributors`,
    subscribers_url: `${url}/subscribers`,
    subscription_url: `${url}/subscription`,
    commits_url: `${url}/commits{/sha}`,
    git_commits_url: `${url}/git/commits{/sha}`,
    comments_url: `${url}/comments{/number}`,
    issue_comment_url: `${url}/issues/comments{/number}`,
    contents_url: `${url}/contents/{+path}`,
    compare_url: `${url}/compare/{base}...{head}`,
    merges_url: `${url}/merges`,
    archive_url: `${url}/{archive_format}{/ref}`,
    downloads_url: `${url}/downloads`,
    issues_url: `${url}/issues{/number}`,
    pulls_url: `${url}/pulls{/number}`,
    milestones_url: `${url}/milestones{/number}`,
    notifications_url: `${url}/notifications{?since,all,participating}`,
    labels_url: `${url}/labels{/name}`,
    releases_url: `${url}/releases{/id}`,
    deployments_url: `${url}/deployments`,
    created_at: time(repository.createdAt),
    updated_at: time(repository.updatedAt),
    pushed_at: time(repository.updatedAt),
    git_url: `git://${host}/${fullName}.git`,
    ssh_url: `git@${host}:${fullName}.git`,
    clone_url: repository.cloneUrl ?? `${page}.git`,
    svn_url: page,
    homepage: null,
    size: 1,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    has_issues: repository.hasIssues,
    has_projects: true,
    has_downloads: true,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    forks_count: 0,
    mirror_url: null,
    archived: repository.archived,
    disabled: false,
    open_issues_count: open,
    license: null,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    custom_properties: {},
    visibility: repository.private ? "private" : "public",
    forks: 0,
    open_issues: open,
    watchers: 0,
    default_branch: repository.defaultBranch,
    ...(role === undefined ? {} : { permissions: showPermissions(role) }),
  };
}

/** A repository asked for by itself. */
export function showFullRepository(world: World, repository: Repository, role: Role) {
  return { ...showRepository(world, repository, role), network_count: 0, subscribers_count: 0, temp_clone_token: null };
}
