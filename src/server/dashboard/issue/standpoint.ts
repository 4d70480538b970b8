import type { Issue } from "../../../domain/issue.ts";
import { type Stand, type Standing, standingOf } from "../../../domain/standing.ts";
import type { IssueOverview } from "../../../storage/issue-overview.ts";

/** An issue with where it stands. */
export interface Standpoint {
  issue: Issue;
  overview: IssueOverview;
  standing: Standing;
}

/** Where an issue stands; `bot` is Relay's login in the local tracker. */
export function standpointOf(issue: Issue, overview: IssueOverview, { bot }: { bot: string }): Standpoint {
  const stop = issue.state === "paused" ? overview.stop : null;
  return { issue, overview, standing: standingOf(issue, { ...overview, stop }, bot) };
}

/** What is awaited, as the person would do it; what Relay does, as it would say it. */
const TITLES: Record<Stand, string> = {
  quiet: "Waits until it is quiet",
  reading: "Reads the discussion",
  answers: "Answer",
  go_ahead: "Go ahead with the spec",
  writing_spec: "Writes the spec",
  making_plan: "Makes the plan",
  approval: "Yes to the plan",
  halted: "Stopped: say how to go on",
  worker: "Waits for a worker",
  person: "Carry it out",
  working_plan: "Works on the change",
  working_review: "Works on the review",
  working_checks: "Mends failing checks",
  working_conflict: "Resolves a conflict",
  review: "Review",
  red_checks: "Look at red checks",
  hint: "Give a hint",
  conflict: "Merge the base",
  merged: "Merged",
  no_plan: "Write a plan",
  spec_ready: "Spec ready",
  stuck: "Stuck: answer",
  failed: "Failed: retry",
  budget: "Waits for a new budget window",
  paused: "Paused: resume",
  closed: "Closed",
  unassigned: "Unassigned",
  request_closed: "Request closed",
};

/** What is awaited or done, in a few words: `Yes to plan 2`. */
export function titleOf({ standing, overview }: Pick<Standpoint, "standing" | "overview">): string {
  const open = overview.gaps.filter(({ status }) => status === "open").length;
  switch (standing.stand) {
    case "answers":
      return open === 1 ? "Answer a question" : open === 0 ? TITLES.answers : `Answer ${open} questions`;
    case "approval":
      return `Yes to plan ${overview.plan?.version ?? ""}`.trim();
    case "review":
      return overview.request === null ? TITLES.review : `Review request ${overview.request.number}`;
    default:
      return TITLES[standing.stand];
  }
}
