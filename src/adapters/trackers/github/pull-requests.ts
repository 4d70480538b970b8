import { missing } from "../missing.ts";
import { z } from "zod";
import { RelayError } from "../../../lib/errors.ts";
import { checkBody, checkName, checkPullRequest, unfit } from "../texts.ts";
import type { NewPullRequest, PullRequest, PullRequests } from "../code-host.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { branchExists } from "./code.ts";
import type { SetDraft } from "./draft.ts";
import { type RepositoryCall, isLogin } from "./repository.ts";

/** A branch has few requests: they have different bases or follow one another. */
const PAGE = 30;

type Found = z.infer<typeof answers.pullRequest>;

/** Pull requests between branches of one repository. */
export function githubPullRequests(call: RepositoryCall, setDraft: SetDraft): Omit<PullRequests, "labelPullRequest"> {
  const list = async (project: string, head: string, state: "open" | "all"): Promise<Found[]> => {
    const query = { head: `${ownerOf(project)}:${head}`, state, per_page: PAGE };
    const { body } = await call(project, { method: "GET", path: "/pulls", query });
    // GitHub lists all requests if it cannot parse the head, and an owner may also have forks.
    return read(z.array(answers.pullRequest), body, `the pull requests of ${project}`).filter(
      (one) => one.head.ref === head && isOwn(one),
    );
  };

  return {
    createPullRequest: async (project, request) => {
      checkPullRequest(request);
      const { title, body, head, base, draft } = request;
      try {
        const answer = await call(project, {
          method: "POST",
          path: "/pulls",
          body: { title, body, head, base, draft },
        });
        return toPullRequest(read(answers.pullRequest, answer.body, `a new pull request in ${project}`));
      } catch (error) {
        if (error instanceof RelayError && error.status === 422) throw await explained(error, project, request);
        throw error;
      }
    },
    getPullRequest: async (project, number) => toPullRequest(await fetchPullRequest(call, project, number)),
    listPullRequests: async (project, head) => (await list(project, head, "all")).map(toPullRequest),
    updatePullRequest: async (project, number, { draft, ...change }) => {
      if (change.state === "merged") throw unfit("Relay does not merge pull requests; people do");
      if (change.title !== undefined) checkName(change.title, "a title");
      if (change.body !== undefined) checkBody(change.body);
      const path = `/pulls/${number}`;
      const changes = Object.values(change).some((value) => value !== undefined);
      const answer = await call(project, changes ? { method: "PATCH", path, body: change } : { method: "GET", path });
      const found = read(answers.pullRequest, answer.body, `pull request ${number} of ${project}`);
      if (draft === undefined || draft === (found.draft ?? false)) return toPullRequest(found);
      await setDraft(project, { number, nodeId: found.node_id, draft });
      return { ...toPullRequest(found), draft };
    },
    requestReview: async (project, number, logins) => {
      const odd = logins.find((login) => !isLogin(login));
      if (odd !== undefined) throw unfit(`${JSON.stringify(odd)} is no login, and cannot review`);
      if (logins.length === 0) return;
      const path = `/pulls/${number}/requested_reviewers`;
      await call(project, { method: "POST", path, body: { reviewers: logins } });
    },
  };

  /** Why a request was rejected, if that can be determined; GitHub's own message is meant for programs. */
  async function explained(refused: RelayError, project: string, request: NewPullRequest): Promise<RelayError> {
    try {
      const why = await obstacle(project, request);
      return why === null ? refused : unfit(why, refused);
    } catch {
      return refused;
    }
  }

  async function obstacle(project: string, { head, base }: NewPullRequest): Promise<string | null> {
    const open = (await list(project, head, "open")).find((one) => one.base.ref === base);
    if (open) return `a pull request for ${head} is open already: ${project}#${open.number}`;
    for (const branch of [head, base]) {
      if (!(await branchExists(call, project, branch))) {
        return `there is no branch ${branch} in ${project}; push it before the pull request`;
      }
    }
    return null;
  }
}

/** @throws RelayError `not_found`, also for the number of an issue */
export async function fetchPullRequest(call: RepositoryCall, project: string, number: number): Promise<Found> {
  const { body } = await call(project, { method: "GET", path: pullPath(project, number) });
  return read(answers.pullRequest, body, `pull request ${number} of ${project}`);
}

/** @throws RelayError `not_found` for an invalid number */
export function pullPath(project: string, number: number): string {
  if (Number.isSafeInteger(number) && number > 0) return `/pulls/${number}`;
  throw missing(`there is no pull request ${number} in ${project}`);
}

function isOwn({ head, base }: Found): boolean {
  return head.repo !== null && head.repo !== undefined && head.repo.id === base.repo?.id;
}

function toPullRequest(found: Found): PullRequest {
  return {
    number: found.number,
    title: found.title,
    body: found.body,
    head: found.head.ref,
    base: found.base.ref,
    draft: found.draft ?? false,
    state: found.merged_at ? "merged" : found.state,
    reviewers: found.requested_reviewers,
    url: found.html_url ?? null,
    conflicts: typeof found.mergeable === "boolean" ? !found.mergeable : null,
    updatedAt: found.updated_at,
  };
}

function ownerOf(project: string): string {
  return project.split("/")[0] ?? "";
}
