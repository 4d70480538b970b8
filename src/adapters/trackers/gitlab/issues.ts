import type { Call } from "../pages.ts";
import { sameLogin } from "../../../domain/login.ts";
import { z } from "zod";
import type { IssueAddress } from "../../../domain/issue.ts";
import { cursorAfter, placeOf } from "../issue-cursor.ts";
import type { IssueGlance, Tracker, TrackerIssue } from "../tracker.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { isIssueType, issuePath, nameOf, projectPath } from "./calls.ts";
import { missing } from "../missing.ts";

const PAGE = 100;

type Found = z.infer<typeof answers.issue>;

export function gitlabIssues(call: Call): Pick<Tracker, "getIssue" | "listIssues"> {
  return {
    getIssue: async (address) => await getIssue(call, address),
    listIssues: async (project, { since, assignee }, cursor) => {
      const place = cursor === null ? { since, page: 1 } : placeOf(cursor);
      const query = {
        state: "all",
        scope: "all",
        order_by: "updated_at",
        sort: "asc",
        per_page: PAGE,
        page: place.page,
        ...(place.since === null ? {} : { updated_after: place.since.toISOString() }),
        ...(assignee === null ? {} : { assignee_username: assignee }),
      };
      const { body } = await call({ method: "GET", path: `${projectPath(project)}/issues`, query });
      const found = read(z.array(answers.issue), body, `the issues of ${project}`);
      const issues = found
        .filter((one) => isIssueType(one.issue_type))
        .map((one) => glance(project, one))
        .filter((one) => assignee === null || one.assignees.some((login) => sameLogin(login, assignee)));
      return { issues, next: found.length < PAGE ? null : cursorAfter(place, found.at(-1)) };
    },
  };
}

async function getIssue(call: Call, address: IssueAddress): Promise<TrackerIssue> {
  const { body } = await call({ method: "GET", path: issuePath(address) });
  const found = read(answers.issue, body, `issue ${nameOf(address)}`);
  if (!isIssueType(found.issue_type)) throw missing(`${nameOf(address)} is no issue: it is a ${found.issue_type}`);
  return {
    ...glance(address.externalProjectId, found),
    title: found.title,
    body: found.description,
    author: found.author,
    labels: found.labels,
    url: found.web_url ?? null,
    confidential: found.confidential ?? false,
    ...(found.discussion_locked ? { isLocked: true } : {}),
    ...(found.moved_to_id == null ? {} : { isMoved: true }),
    createdAt: found.created_at,
  };
}

/** What a list shows of an issue. */
export function glance(project: string, found: Found): IssueGlance {
  return {
    provider: "gitlab",
    externalProjectId: project,
    externalIssueId: String(found.iid),
    state: found.state,
    assignees: found.assignees,
    commentCount: found.user_notes_count,
    updatedAt: found.updated_at,
  };
}
