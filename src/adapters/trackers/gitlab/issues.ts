import { z } from "zod";
import type { IssueAddress } from "../../../domain/issue.ts";
import { unfit } from "../texts.ts";
import type { IssueGlance, Tracker, TrackerIssue } from "../tracker.ts";
import * as answers from "./answers.ts";
import { read } from "./answers.ts";
import type { Call } from "./calls.ts";
import { issuePath, nameOf, projectPath, same } from "./calls.ts";

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
        .map((one) => glance(project, one))
        .filter((one) => assignee === null || one.assignees.some((login) => same(login, assignee)));
      return { issues, next: found.length < PAGE ? null : cursorAfter(place, found.at(-1)) };
    },
  };
}

async function getIssue(call: Call, address: IssueAddress): Promise<TrackerIssue> {
  const { body } = await call({ method: "GET", path: issuePath(address) });
  const found = read(answers.issue, body, `issue ${nameOf(address)}`);
  return {
    ...glance(address.externalProjectId, found),
    title: found.title,
    body: found.description,
    author: found.author,
    labels: found.labels,
    url: found.web_url ?? null,
    createdAt: found.created_at,
  };
}

function glance(project: string, found: Found): IssueGlance {
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

/**
 * Goes on from the time of the last issue seen, not from a page number: an issue that changes meanwhile moves to the
 * end, and would move the others below the number. Page numbers count only among issues of one moment.
 */
function cursorAfter(place: { since: Date | null; page: number }, last: Found | undefined): string | null {
  if (last === undefined) return null;
  const stuck = place.since !== null && last.updated_at.getTime() <= place.since.getTime();
  return `${last.updated_at.toISOString()} ${stuck ? place.page + 1 : 1}`;
}

function placeOf(cursor: string): { since: Date; page: number } {
  const [time = "", page = ""] = cursor.split(" ");
  const since = new Date(time);
  if (Number.isNaN(since.getTime()) || !/^[1-9]\d{0,4}$/.test(page)) {
    throw unfit("the cursor is not one that a page of issues gave");
  }
  return { since, page: Number(page) };
}
