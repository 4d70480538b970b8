import type { Call } from "../pages.ts";
import { unlessMissing } from "../missing.ts";
import { z } from "zod";
import { checkBody, checkName, checkPullRequest, unfit } from "../texts.ts";
import type { PullRequest, PullRequests } from "../code-host.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { projectPath, requestPath } from "./calls.ts";
import { findUser, permission } from "./people.ts";
import { inert } from "./quick-actions.ts";

/** A branch has few requests: they have different targets or follow one another. */
const PAGE = 30;
/** GitLab checks in the background; until it is done, `has_conflicts` is stale. */
const UNCHECKED = /^(?:unchecked|checking|preparing|approvals_syncing|cannot_be_merged_recheck(?:ing)?)$/;
/** GitLab recognizes drafts by their title only. */
const DRAFT = /^\s*(?:\[draft\]|\(draft\)|draft:)\s*/i;

type Found = z.infer<typeof answers.mergeRequest>;

/** Merge requests between branches of one project. GitLab also executes quick actions in their descriptions. */
export function gitlabPullRequests(call: Call): Omit<PullRequests, "labelPullRequest"> {
  const get = async (project: string, number: number): Promise<Found> => {
    const { body } = await call({ method: "GET", path: requestPath(project, number) });
    return read(answers.mergeRequest, body, `merge request ${number} of ${project}`);
  };
  const put = async (project: string, number: number, body: Record<string, unknown>): Promise<Found> => {
    const answer = await call({ method: "PUT", path: requestPath(project, number), body });
    return read(answers.mergeRequest, answer.body, `merge request ${number} of ${project}`);
  };

  return {
    createPullRequest: async (project, request) => {
      checkPullRequest(request);
      const { title, body, head, base, draft } = request;
      const answer = await call({
        method: "POST",
        path: `${projectPath(project)}/merge_requests`,
        body: { title: titled(title, draft), description: inert(body), source_branch: head, target_branch: base },
      });
      return toPullRequest(read(answers.mergeRequest, answer.body, `a new merge request in ${project}`));
    },
    getPullRequest: async (project, number) => toPullRequest(await get(project, number)),
    listPullRequests: async (project, head) => {
      const query = { source_branch: head, state: "all", per_page: PAGE };
      const { body } = await call({ method: "GET", path: `${projectPath(project)}/merge_requests`, query });
      return (
        read(z.array(answers.mergeRequest), body, `the merge requests of ${project}`)
          // A fork may have a branch of the same name.
          .filter((one) => one.source_branch === head && isOwn(one))
          .map(toPullRequest)
      );
    },
    updatePullRequest: async (project, number, { title, body, draft, state }) => {
      if (state === "merged") throw unfit("Relay does not merge; people do");
      if (title !== undefined) checkName(title, "a title");
      if (body !== undefined) checkBody(body);
      const change: Record<string, unknown> = {
        ...(body === undefined ? {} : { description: inert(body) }),
        ...(state === undefined ? {} : { state_event: state === "open" ? "reopen" : "close" }),
      };
      if (title !== undefined || draft !== undefined) {
        const before = await get(project, number);
        change["title"] = titled(title ?? before.title, draft ?? DRAFT.test(before.title));
      }
      const after = Object.keys(change).length === 0 ? await get(project, number) : await put(project, number, change);
      return toPullRequest(after);
    },
    requestReview: async (project, number, logins) => {
      const ids = [];
      for (const login of logins) ids.push(await memberId(call, project, login));
      if (ids.length === 0) return;
      const { reviewers } = await get(project, number);
      // Free GitLab keeps only one reviewer.
      await put(project, number, { reviewer_ids: [...new Set([...reviewers.map(({ id }) => id), ...ids])] });
    },
  };
}

/** GitLab silently ignores reviewers without read access to the project. */
async function memberId(call: Call, project: string, login: string): Promise<number> {
  const id = await findUser(call, login);
  const path = `${projectPath(project)}/members/all/${id ?? 0}`;
  const answer = id === null ? null : await unlessMissing(call({ method: "GET", path }));
  const level = answer === null ? "none" : permission(read(answers.member, answer.body, `${login} in ${project}`));
  if (id === null || level === "none") throw unfit(`${login} is not a member of ${project} and cannot review`);
  return id;
}

/** Null if the fork was deleted. */
function isOwn({ source_project_id: source, target_project_id: target }: Found): boolean {
  return source === target;
}

function titled(title: string, draft: boolean): string {
  const bare = title.replace(DRAFT, "");
  return draft ? `Draft: ${bare}` : bare;
}

function toPullRequest(found: Found): PullRequest {
  return {
    number: found.iid,
    title: found.title.replace(DRAFT, ""),
    body: found.description,
    head: found.source_branch,
    base: found.target_branch,
    draft: DRAFT.test(found.title),
    // `locked`: it is being merged.
    state: found.state === "merged" || found.state === "closed" ? found.state : "open",
    reviewers: found.reviewers.map(({ username }) => username),
    url: found.web_url ?? null,
    conflicts: UNCHECKED.test(found.detailed_merge_status ?? found.merge_status ?? "")
      ? null
      : (found.has_conflicts ?? null),
    updatedAt: found.updated_at,
  };
}
