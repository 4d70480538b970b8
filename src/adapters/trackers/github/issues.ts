import { missing } from "../missing.ts";
import { sameLogin } from "../../../domain/login.ts";
import { z } from "zod";
import type { IssueAddress } from "../../../domain/issue.ts";
import { RelayError } from "../../../lib/errors.ts";
import { cursorAfter, placeOf } from "../issue-cursor.ts";
import type { IssueGlance, Tracker, TrackerIssue } from "../tracker.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { type RepositoryCall, getRepository, isLogin, numberOf } from "./repository.ts";

const PAGE = 100;

export type FoundIssue = z.infer<typeof answers.issue>;

type Issues = Pick<Tracker, "getIssue" | "listIssues">;

export function githubIssues(call: RepositoryCall): Issues {
  return {
    getIssue: async (address) => await getIssue(call, address),
    listIssues: async (project, { since, assignee, tag = null }, cursor) => {
      if (assignee !== null && !isLogin(assignee)) return { issues: [], next: null };
      const place = cursor === null ? { since, page: 1 } : placeOf(cursor);
      const list = await listed(call, project, { ...place, assignee, tag: cursor === null ? tag : null });
      if (list === "unchanged") return { issues: [], next: null, tag };
      const { found } = list;
      const issues = found
        .filter((one) => !one.pull_request)
        .map((one) => glance(project, one))
        .filter((one) => assignee === null || one.assignees.some((login) => sameLogin(login, assignee)));
      const requests = found
        .filter((one) => one.pull_request)
        .map(({ number, state, updated_at: updatedAt }) => ({ number, state, updatedAt }));
      const next = found.length < PAGE ? null : cursorAfter(place, found.at(-1));
      // The tag of a full page does not change when another page follows.
      return { issues, requests, next, tag: next === null && cursor === null ? list.tag : null };
    },
  };
}

/** The issue as it is now; `not_found` if it was transferred to another repository. */
export async function getIssue(call: RepositoryCall, address: IssueAddress): Promise<TrackerIssue> {
  const project = address.externalProjectId;
  const number = numberOf(address);
  const { body } = await call(project, { method: "GET", path: `/issues/${number}` });
  const found = read(answers.issue, body, `issue ${number} of ${project}`);
  const home = /\/repos\/([^/]+\/[^/]+)$/.exec(found.repository_url)?.[1] ?? project;
  if (String(found.number) !== number || !(sameLogin(home, project) || (await isNowCalled(call, project, home)))) {
    throw missing(`issue ${number} of ${project} is now ${home}#${found.number}; go on there`);
  }
  if (found.pull_request) throw missing(`${project}#${number} is a pull request, not an issue`);
  return {
    ...glance(project, found),
    title: found.title,
    body: found.body,
    author: found.user.login,
    labels: found.labels,
    url: found.html_url ?? null,
    // GitHub has no confidential issues.
    confidential: false,
    ...(found.locked ? { isLocked: true } : {}),
    createdAt: found.created_at,
  };
}

/** Whether the repository itself was renamed to that; otherwise only the issue was transferred. */
async function isNowCalled(call: RepositoryCall, project: string, name: string): Promise<boolean> {
  return sameLogin((await getRepository(call, project)).full_name, name);
}

/** One page in the order of changes; empty if GitHub does not know the assignee. */
async function listed(
  call: RepositoryCall,
  project: string,
  asked: { since: Date | null; page: number; assignee: string | null; tag: string | null },
): Promise<{ found: FoundIssue[]; tag: string | null } | "unchanged"> {
  const { since, page, assignee, tag } = asked;
  const query = {
    state: "all",
    sort: "updated",
    direction: "asc",
    per_page: PAGE,
    page,
    ...(since === null ? {} : { since: inSeconds(since) }),
    ...(assignee === null ? {} : { assignee }),
  };
  try {
    const condition = tag === null ? {} : { headers: { "if-none-match": tag } };
    const { status, headers, body } = await call(project, { method: "GET", path: "/issues", query, ...condition });
    if (status === 304) return "unchanged";
    return { found: read(z.array(answers.issue), body, `the issues of ${project}`), tag: headers.get("etag") };
  } catch (cause) {
    if (assignee !== null && cause instanceof RelayError && cause.status === 422) return { found: [], tag: null };
    throw cause;
  }
}

/** What a list shows of an issue. */
export function glance(project: string, found: FoundIssue): IssueGlance {
  return {
    provider: "github",
    externalProjectId: project,
    externalIssueId: String(found.number),
    state: found.state,
    assignees: found.assignees,
    commentCount: found.comments,
    updatedAt: found.updated_at,
  };
}

/** GitHub's times are whole seconds; rounding down loses no change. */
export function inSeconds(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, "Z");
}
