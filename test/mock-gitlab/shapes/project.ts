import type { AccessLevel, Project } from "../state.ts";
import type { Json } from "./user.ts";

export function projectShape(project: Project, level: AccessLevel, origin: string): Json {
  const name = project.path.split("/").at(-1) ?? project.path;
  return {
    id: project.id,
    description: null,
    name,
    name_with_namespace: project.path.split("/").join(" / "),
    path: name,
    path_with_namespace: project.path,
    created_at: "2026-01-01T00:00:00.000Z",
    default_branch: "main",
    visibility: project.visibility,
    archived: false,
    issues_enabled: true,
    merge_requests_enabled: true,
    web_url: `${origin}/${project.path}`,
    http_url_to_repo: project.cloneUrl ?? `${origin}/${project.path}.git`,
    ssh_url_to_repo: `git@${new URL(origin).hostname}:${project.path}.git`,
    permissions: {
      project_access: level === 0 ? null : { access_level: level, notification_level: 3 },
      group_access: null,
    },
  };
}

export function branchShape(name: string, commit: string, project: Project, origin: string): Json {
  return {
    name,
    commit: { id: commit, short_id: commit.slice(0, 8), title: "A commit", message: "A commit", parent_ids: [] },
    merged: false,
    protected: name === "main",
    developers_can_push: false,
    developers_can_merge: false,
    can_push: true,
    default: name === "main",
    web_url: `${origin}/${project.path}/-/tree/${name}`,
  };
}
