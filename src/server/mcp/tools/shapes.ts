import { z } from "zod";
import { type Issue, issueName } from "../../../domain/issue.ts";
import type { IssueOverview } from "../../../storage/issue-overview.ts";
import { issueSchema, numberOf, standingIn } from "../../api/shapes/issue.ts";
import { timeOf } from "../../api/shapes/basics.ts";
import { planHeadSchema, shownPlanHead } from "../../api/shapes/plan.ts";
import type { McpContext } from "../context.ts";

/** The argument that names an issue. */
export const issueArgument = z
  .union([z.string().max(500), z.int().positive()])
  .optional()
  .describe(
    "The issue: a number, acme/shop#12 or its URL. Left out: the one whose branch is checked out, else the only open one, or the only done one.",
  );

export const issueNamed = z.string().describe("The issue's name, for the other tools.");

/** An issue as lists show it: fields of the API's. */
export const briefSchema = issueSchema
  .pick({ provider: true, repository: true, title: true, state: true, url: true, since: true, waiting_for: true })
  .extend({
    issue: issueNamed,
    number: issueSchema.shape.number,
    open_gaps: issueSchema.shape.open_gaps.describe("Questions that wait for an answer."),
    spec_version: z.int().nullable().describe("Null: there is no spec yet."),
    plan: planHeadSchema.pick({ version: true, status: true, branch: true, approved_by: true }).nullable(),
    updated_at: issueSchema.shape.updated_at,
  });

export type Brief = z.infer<typeof briefSchema>;

export function briefOf(issue: Issue, overview: IssueOverview, { bot, quote }: McpContext): Brief {
  const { stand, people, anyone, since } = standingIn(issue, overview, bot);
  const plan = overview.plan && shownPlanHead(overview.plan);
  return {
    issue: issueName(issue),
    provider: issue.provider,
    repository: issue.externalProjectId,
    number: numberOf(issue),
    title: quote.line(issue.title),
    state: issue.state,
    url: issue.url,
    since: timeOf(since),
    waiting_for: { what: stand, people, anyone_with: anyone },
    open_gaps: overview.gaps.filter(({ status }) => status === "open").length,
    spec_version: overview.spec?.version ?? null,
    plan: plan && { version: plan.version, status: plan.status, branch: plan.branch, approved_by: plan.approved_by },
    updated_at: timeOf(issue.updatedAt),
  };
}
