import type { CommitStatus, Project } from "../state.ts";
import { type Json, userShape } from "./user.ts";

export function commitStatusShape(status: CommitStatus, project: Project, origin: string): Json {
  const isOver = !["created", "pending", "running"].includes(status.status);
  return {
    id: status.id,
    sha: status.sha,
    ref: status.ref,
    status: status.status,
    name: status.name,
    target_url: status.trace === null ? status.targetUrl : `${origin}/${project.path}/-/jobs/${status.id}`,
    description: status.description,
    created_at: status.createdAt.toISOString(),
    started_at: status.createdAt.toISOString(),
    finished_at: isOver ? status.createdAt.toISOString() : null,
    allow_failure: status.allowFailure,
    coverage: null,
    pipeline_id: status.pipelineId,
    author: userShape(status.author, origin),
  };
}
