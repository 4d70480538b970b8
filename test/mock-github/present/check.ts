import type { App, CheckRun, CommitStatus, Repository } from "../world/entities.ts";
import type { World } from "../world/world.ts";
import { showApp } from "./app.ts";
import { nodeId, time, timeOrNull } from "./ids.ts";
import { pageUrl, repositoryUrl, showRepository } from "./repository.ts";

/** GitHub's own App that runs workflows. */
export const ACTIONS: App = {
  id: 15_368,
  slug: "github-actions",
  name: "GitHub Actions",
  owner: "github",
  clientId: "Iv1.05c79e9ad1f6bdfa",
  publicKey: "",
  permissions: { checks: "write", metadata: "read" },
  events: [],
  hook: null,
  createdAt: new Date("2018-07-30T09:30:17Z"),
};

export function showCheckRun(world: World, repository: Repository, run: CheckRun) {
  const url = `${repositoryUrl(world, repository)}/check-runs/${run.id}`;
  const page = `${pageUrl(world, repository)}/actions/runs/${run.suiteId}/job/${run.id}`;
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId("check", run.id),
    head_sha: run.sha,
    external_id: "",
    url,
    html_url: page,
    details_url: page,
    status: run.conclusion === null ? "in_progress" : "completed",
    conclusion: run.conclusion,
    started_at: time(run.startedAt),
    completed_at: timeOrNull(run.completedAt),
    output: {
      ...run.output,
      annotations_count: run.annotations.length,
      annotations_url: `${url}/annotations`,
    },
    check_suite: { id: run.suiteId },
    app: showApp(world, ACTIONS),
    pull_requests: [],
  };
}

export function showAnnotation(
  world: World,
  repository: Repository,
  run: CheckRun,
  { path, line, level, message }: CheckRun["annotations"][number],
) {
  return {
    path,
    blob_href: `${pageUrl(world, repository)}/blob/${run.sha}/${path}`,
    start_line: line,
    start_column: null,
    end_line: line,
    end_column: null,
    annotation_level: level,
    title: "",
    message,
    raw_details: "",
  };
}

export function showStatus(world: World, repository: Repository, status: CommitStatus) {
  return {
    url: `${repositoryUrl(world, repository)}/statuses/${status.sha}`,
    avatar_url: "https://avatars.githubusercontent.com/oa/1?v=4",
    id: status.id,
    node_id: nodeId("status", status.id),
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: time(status.createdAt),
    updated_at: time(status.createdAt),
  };
}

/** One word for all that was said of a commit, with the last of each context. */
export function showCombined(
  world: World,
  repository: Repository,
  sha: string,
  { statuses, page }: { statuses: CommitStatus[]; page: unknown[] },
) {
  const url = `${repositoryUrl(world, repository)}/commits/${sha}`;
  const has = (state: string) => statuses.some((each) => each.state === state);
  const bad = has("failure") || has("error");
  const open = statuses.length === 0 || has("pending");
  return {
    state: bad ? "failure" : open ? "pending" : "success",
    statuses: page,
    sha,
    total_count: statuses.length,
    repository: showRepository(world, repository),
    commit_url: url,
    url: `${url}/status`,
  };
}
