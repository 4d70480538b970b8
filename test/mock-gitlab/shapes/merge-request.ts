import type { MergeRequest, Project } from "../state.ts";
import { type Json, userShape } from "./user.ts";

/** A title that marks a draft: REST has no other way of saying so. */
export function isDraft(title: string): boolean {
  return /^\s*(?:\[draft\]|\(draft\)|draft:)/i.test(title);
}

const MERGE_STATUS = { mergeable: "can_be_merged", checking: "checking", conflict: "cannot_be_merged" } as const;

export function mergeRequestShape(request: MergeRequest, project: Project, origin: string): Json {
  const draft = isDraft(request.title);
  const status = request.conflicts === null ? "checking" : request.conflicts ? "conflict" : "mergeable";
  const assignees = request.assignees.map((user) => userShape(user, origin));
  return {
    id: request.id,
    iid: request.iid,
    project_id: project.id,
    title: request.title,
    description: request.description,
    state: request.state,
    created_at: request.createdAt.toISOString(),
    updated_at: request.updatedAt.toISOString(),
    merged_by: null,
    merged_at: request.state === "merged" ? request.updatedAt.toISOString() : null,
    closed_by: null,
    closed_at: request.closedAt?.toISOString() ?? null,
    target_branch: request.targetBranch,
    source_branch: request.sourceBranch,
    user_notes_count: request.notes.filter((note) => !note.system).length,
    upvotes: 0,
    downvotes: 0,
    author: userShape(request.author, origin),
    assignees,
    assignee: assignees[0] ?? null,
    reviewers: request.reviewers.map((user) => userShape(user, origin)),
    source_project_id: request.sourceProjectId,
    target_project_id: project.id,
    labels: request.labels,
    draft,
    work_in_progress: draft,
    milestone: null,
    merge_when_pipeline_succeeds: false,
    merge_status: MERGE_STATUS[status],
    detailed_merge_status: status === "mergeable" && draft ? "draft_status" : status,
    sha: project.branches.get(request.sourceBranch) ?? null,
    merge_commit_sha: null,
    squash_commit_sha: null,
    discussion_locked: null,
    should_remove_source_branch: null,
    reference: `!${request.iid}`,
    references: { short: `!${request.iid}`, relative: `!${request.iid}`, full: `${project.path}!${request.iid}` },
    web_url: `${origin}/${project.path}/-/merge_requests/${request.iid}`,
    has_conflicts: request.conflicts ?? false,
    blocking_discussions_resolved: true,
  };
}
