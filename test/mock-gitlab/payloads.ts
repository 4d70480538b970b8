import type { Place, World } from "./changes.ts";
import { isDraft } from "./shapes/merge-request.ts";
import type { Award, Issue, MergeRequest, Note, Noteable, Project, User } from "./state.ts";

type Payload = Record<string, unknown>;
type Action = "open" | "update" | "close" | "reopen" | "merge";

/** What stood before a change, beside what stands now. */
export interface Change {
  actor: User;
  action: Action;
  before: Noteable;
  reviewersBefore?: User[];
}

/** Hooks write times in two ways; this one is in `object_attributes` and in `changes`. */
function hookTime(time: Date | null): string | null {
  return time === null ? null : `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

function person(user: User): Payload {
  return { id: user.id, name: user.name, username: user.username, avatar_url: null, email: "[REDACTED]" };
}

function projectOf(project: Project, origin: string): Payload {
  const web = `${origin}/${project.path}`;
  const ssh = `git@example.com:${project.path}.git`;
  return {
    id: project.id,
    name: project.path.split("/").at(-1),
    description: null,
    web_url: web,
    avatar_url: null,
    git_ssh_url: ssh,
    git_http_url: `${web}.git`,
    namespace: project.path.split("/").slice(0, -1).join("/"),
    visibility_level: project.visibility === "public" ? 20 : 0,
    path_with_namespace: project.path,
    default_branch: "main",
    ci_config_path: null,
    homepage: web,
    url: ssh,
    ssh_url: ssh,
    http_url: `${web}.git`,
  };
}

function labelsOf(project: Project, names: readonly string[]): Payload[] {
  return project.labels
    .filter((label) => names.includes(label.name))
    .map((label) => ({
      id: label.id,
      title: label.name,
      color: label.color,
      project_id: project.id,
      created_at: "2026-01-01 00:00:00 UTC",
      updated_at: "2026-01-01 00:00:00 UTC",
      template: false,
      description: null,
      type: "ProjectLabel",
      group_id: null,
    }));
}

function top(kind: string, event: string, user: User, project: Project, origin: string): Payload {
  return {
    object_kind: kind,
    event_type: event,
    user: person(user),
    project: projectOf(project, origin),
    repository: {
      name: project.path.split("/").at(-1),
      url: "",
      description: null,
      homepage: `${origin}/${project.path}`,
    },
  };
}

function issueAttributes(issue: Issue, project: Project, origin: string): Payload {
  return {
    author_id: issue.author.id,
    closed_at: hookTime(issue.closedAt),
    confidential: issue.confidential,
    created_at: hookTime(issue.createdAt),
    description: issue.description,
    discussion_locked: issue.locked ? true : null,
    id: issue.id,
    iid: issue.iid,
    project_id: project.id,
    title: issue.title,
    updated_at: hookTime(issue.updatedAt),
    url: `${origin}/${project.path}/-/issues/${issue.iid}`,
    assignee_ids: issue.assignees.map((user) => user.id),
    assignee_id: issue.assignees[0]?.id ?? null,
    labels: labelsOf(project, issue.labels),
    state: issue.state,
    severity: "unknown",
    type: issue.type,
  };
}

function requestAttributes(request: MergeRequest, project: Project, origin: string): Payload {
  return {
    author_id: request.author.id,
    created_at: hookTime(request.createdAt),
    description: request.description,
    id: request.id,
    iid: request.iid,
    source_branch: request.sourceBranch,
    source_project_id: request.sourceProjectId,
    target_branch: request.targetBranch,
    target_project_id: project.id,
    state: request.state,
    title: request.title,
    updated_at: hookTime(request.updatedAt),
    draft: isDraft(request.title),
    work_in_progress: isDraft(request.title),
    last_commit: { id: project.branches.get(request.sourceBranch) ?? null },
    assignee_ids: request.assignees.map((user) => user.id),
    reviewer_ids: request.reviewers.map((user) => user.id),
    labels: labelsOf(project, request.labels),
    url: `${origin}/${project.path}/-/merge_requests/${request.iid}`,
    merge_status: "can_be_merged",
  };
}

/** Only what differs is listed. */
function changesOf(now: Noteable, { before, actor }: Change, project: Project): Payload {
  const changes: Payload = {
    updated_at: { previous: hookTime(before.updatedAt), current: hookTime(now.updatedAt) },
    updated_by_id: { previous: null, current: actor.id },
  };
  if (before.title !== now.title) changes["title"] = { previous: before.title, current: now.title };
  if (before.description !== now.description) {
    changes["description"] = { previous: before.description, current: now.description };
  }
  if (before.state !== now.state) {
    const ids = { opened: 1, closed: 2, merged: 3 };
    changes["state_id"] = { previous: ids[before.state], current: ids[now.state] };
  }
  if ("confidential" in before && "confidential" in now && before.confidential !== now.confidential) {
    changes["confidential"] = { previous: before.confidential, current: now.confidential };
  }
  if (different(before.assignees, now.assignees)) {
    changes["assignees"] = { previous: before.assignees.map(person), current: now.assignees.map(person) };
  }
  if (different(before.labels, now.labels)) {
    changes["labels"] = { previous: labelsOf(project, before.labels), current: labelsOf(project, now.labels) };
  }
  return changes;
}

function different<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length !== other.length || one.some((each) => !other.includes(each));
}

export function issuePayload(world: World, project: Project, issue: Issue, change: Change | { actor: User }): Payload {
  const opened = !("before" in change);
  return {
    ...top("issue", issue.confidential ? "confidential_issue" : "issue", change.actor, project, world.origin),
    object_attributes: {
      ...issueAttributes(issue, project, world.origin),
      action: opened ? "open" : change.action,
    },
    assignees: issue.assignees.map(person),
    ...(issue.assignees[0] ? { assignee: person(issue.assignees[0]) } : {}),
    labels: labelsOf(project, issue.labels),
    changes: opened ? { iid: { previous: null, current: issue.iid } } : changesOf(issue, change, project),
  };
}

export function mergeRequestPayload(
  world: World,
  project: Project,
  request: MergeRequest,
  change: Change | { actor: User; action: "open" | "approved" | "unapproved" },
): Payload {
  const edited = "before" in change;
  const changes: Payload = edited ? changesOf(request, change, project) : {};
  if (edited && different(change.reviewersBefore ?? [], request.reviewers)) {
    changes["reviewers"] = {
      previous: (change.reviewersBefore ?? []).map(person),
      current: request.reviewers.map(person),
    };
  }
  return {
    ...top("merge_request", "merge_request", change.actor, project, world.origin),
    object_attributes: { ...requestAttributes(request, project, world.origin), action: change.action },
    labels: labelsOf(project, request.labels),
    changes,
    assignees: request.assignees.map(person),
    reviewers: request.reviewers.map(person),
  };
}

export function notePayload(
  world: World,
  { project, noteable }: Place,
  note: Note,
  actor: User,
  action: "create" | "update",
): Payload {
  const path = noteable.kind === "Issue" ? "issues" : "merge_requests";
  const isHidden = note.internal || ("confidential" in noteable && noteable.confidential === true);
  return {
    ...top("note", isHidden ? "confidential_note" : "note", actor, project, world.origin),
    project_id: project.id,
    object_attributes: {
      attachment: null,
      author_id: note.author.id,
      change_position: null,
      commit_id: null,
      created_at: hookTime(note.createdAt),
      discussion_id: note.discussionId,
      id: note.id,
      internal: note.internal,
      line_code: null,
      note: note.body,
      noteable_id: noteable.id,
      noteable_type: noteable.kind,
      position: null,
      project_id: project.id,
      resolved_at: null,
      resolved_by_id: null,
      st_diff: null,
      system: false,
      type: note.type,
      updated_at: hookTime(note.updatedAt),
      updated_by_id: action === "update" ? actor.id : null,
      description: note.body,
      url: `${world.origin}/${project.path}/-/${path}/${noteable.iid}#note_${note.id}`,
      action,
    },
    ...about(noteable, project, world.origin),
  };
}

function about(noteable: Noteable, project: Project, origin: string): Payload {
  const issue = project.issues.find((one) => one === noteable);
  if (issue) return { issue: issueAttributes(issue, project, origin) };
  const request = project.mergeRequests.find((one) => one === noteable);
  return request ? { merge_request: requestAttributes(request, project, origin) } : {};
}

export function emojiPayload(world: World, { project, noteable }: Place, note: Note | null, award: Award): Payload {
  return {
    ...top("emoji", "award", award.user, project, world.origin),
    project_id: project.id,
    object_attributes: {
      user_id: award.user.id,
      created_at: hookTime(award.createdAt),
      id: award.id,
      name: award.name,
      awardable_type: note === null ? noteable.kind : "Note",
      awardable_id: note === null ? noteable.id : note.id,
      updated_at: hookTime(award.createdAt),
      action: "award",
      awarded_on_url: `${world.origin}/${project.path}/-/issues/${noteable.iid}`,
    },
    ...about(noteable, project, world.origin),
  };
}

/** A pipeline that came to an end, of a branch and of the merge request that it belongs to. */
export function pipelinePayload(
  world: World,
  project: Project,
  { actor, branch, status, ofBranch }: { actor: User; branch: string; status: string; ofBranch: boolean },
): Payload {
  const request = ofBranch
    ? undefined
    : project.mergeRequests.find((one) => one.sourceBranch === branch && one.state === "opened");
  return {
    ...top("pipeline", "pipeline", actor, project, world.origin),
    object_attributes: {
      id: world.state.nextId(),
      iid: 1,
      name: null,
      ref: branch,
      tag: false,
      sha: project.branches.get(branch) ?? "0".repeat(40),
      before_sha: "0".repeat(40),
      source: request ? "merge_request_event" : "push",
      status,
      detailed_status: status === "success" ? "passed" : status,
      stages: ["test"],
      created_at: hookTime(world.state.now()),
      finished_at: hookTime(world.state.now()),
      duration: 63,
      url: `${world.origin}/${project.path}/-/pipelines/1`,
    },
    merge_request: request
      ? { ...requestAttributes(request, project, world.origin), target_project_id: project.id }
      : null,
    commit: { id: project.branches.get(branch) ?? "0".repeat(40), message: "A commit", title: "A commit" },
    builds: [],
  };
}
