import { notFound } from "../answer.ts";
import { page } from "../paging.ts";
import { PAGES, get, need, part, projectOf, type Call, type Route } from "../route.ts";
import { commitStatusShape } from "../shapes/commit-status.ts";
import type { CommitStatus, Project } from "../state.ts";

/** What was said of a commit, and the logs of jobs. */
export const checks: Route[] = [
  get(
    "/projects/{id}/repository/commits/{sha}/statuses",
    ["ref", "stage", "name", "pipeline_id", "order_by", "sort", "all", ...PAGES],
    (call) => {
      const project = projectOf(call);
      if (project.visibility === "private") need(call, project, 20);
      const sha = part(call, "sha");
      if (!isKnown(project, sha)) throw notFound("Commit");
      const { query } = call;
      const fits = (value: string, name: string) => [null, value].includes(query.get(name));
      const found = project.statuses
        .filter((one) => one.sha === sha && fits(one.ref, "ref") && fits(one.name, "name"))
        // Of a job that was run again the last run, unless all are asked for; other pipelines have their own.
        .filter((one) => query.get("all") === "true" || !isRetried(project, one));
      return page(call, query.get("sort") === "desc" ? found.toReversed() : found, (one) =>
        commitStatusShape(one, project, call.world.origin),
      );
    },
  ),
  get("/projects/{id}/jobs/{job_id}/trace", [], (call) => {
    const job = jobOf(call);
    return { status: 200, text: job.trace ?? "", headers: { "content-type": "text/plain" } };
  }),
];

function isKnown(project: Project, sha: string): boolean {
  return [...project.branches.values(), ...project.statuses.map((one) => one.sha)].includes(sha);
}

function isRetried(project: Project, { id, pipelineId, name }: CommitStatus): boolean {
  return project.statuses.some((one) => one.pipelineId === pipelineId && one.name === name && one.id > id);
}

/** What other services say is no job, and has no log. */
function jobOf(call: Call): CommitStatus {
  const project = projectOf(call);
  if (project.visibility === "private") need(call, project, 20);
  const job = project.statuses.find((one) => String(one.id) === part(call, "job_id"));
  if (!job || job.trace === null) throw notFound();
  return job;
}
