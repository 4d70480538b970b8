import type { Issue, Label, Noteable, Project } from "../state.ts";
import { type Json, userShape } from "./user.ts";

function thumbs(noteable: Noteable, name: string): number {
  return noteable.awards.filter((award) => award.name === name).length;
}

export function issueShape(issue: Issue, project: Project, origin: string): Json {
  const assignees = issue.assignees.map((user) => userShape(user, origin));
  const url = `${origin}/${project.path}/-/issues/${issue.iid}`;
  return {
    id: issue.id,
    iid: issue.iid,
    project_id: project.id,
    title: issue.title,
    description: issue.description,
    state: issue.state,
    created_at: issue.createdAt.toISOString(),
    updated_at: issue.updatedAt.toISOString(),
    closed_at: issue.closedAt?.toISOString() ?? null,
    closed_by: null,
    labels: issue.labels.toSorted((one, other) => one.localeCompare(other)),
    milestone: null,
    assignees,
    author: userShape(issue.author, origin),
    type: issue.type.toUpperCase().replace(" ", "_"),
    assignee: assignees[0] ?? null,
    user_notes_count: issue.notes.filter((note) => !note.system).length,
    merge_requests_count: 0,
    upvotes: thumbs(issue, "thumbsup"),
    downvotes: thumbs(issue, "thumbsdown"),
    due_date: null,
    confidential: issue.confidential,
    discussion_locked: issue.locked ? true : null,
    issue_type: issue.type.toLowerCase().replace(" ", "_"),
    web_url: url,
    time_stats: { time_estimate: 0, total_time_spent: 0, human_time_estimate: null, human_total_time_spent: null },
    task_completion_status: { count: 0, completed_count: 0 },
    has_tasks: false,
    references: { short: `#${issue.iid}`, relative: `#${issue.iid}`, full: `${project.path}#${issue.iid}` },
    severity: "UNKNOWN",
    moved_to_id: null,
    imported: false,
    imported_from: "none",
    service_desk_reply_to: null,
    _links: {
      self: `${origin}/api/v4/projects/${project.id}/issues/${issue.iid}`,
      notes: `${origin}/api/v4/projects/${project.id}/issues/${issue.iid}/notes`,
      award_emoji: `${origin}/api/v4/projects/${project.id}/issues/${issue.iid}/award_emoji`,
      project: `${origin}/api/v4/projects/${project.id}`,
      closed_as_duplicate_of: null,
    },
  };
}

export function labelShape(label: Label): Json {
  return {
    id: label.id,
    name: label.name,
    description: null,
    description_html: "",
    text_color: "#FFFFFF",
    color: label.color,
    archived: false,
    subscribed: false,
    priority: null,
    is_project_label: true,
  };
}
