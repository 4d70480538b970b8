import { z } from "zod";
import { concernSchema, riskOf } from "../../../domain/concern.ts";
import { type Issue, PROVIDERS } from "../../../domain/issue.ts";
import { ISSUE_STATES } from "../../../domain/lifecycle.ts";
import { type PostedPlan, type Task, RISKS } from "../../../domain/plan.ts";
import { ANYONE, STANDS, type Stand, type Standing, standingOf } from "../../../domain/standing.ts";
import type { IssueOverview } from "../../../storage/issue-overview.ts";
import { cost, id, noTime, time, timeOf } from "./basics.ts";
import { knownCost, usageSchema } from "./costs.ts";
import { planHeadSchema, shownPlanHead } from "./plan.ts";
import { requestSchema, runSchema, shownRequest, shownRun } from "./run.ts";
import { type Places, shownSpecHead, specHeadSchema } from "./spec.ts";

const briefGapSchema = z.object({
  number: z.int(),
  question: z.string(),
  status: z.enum(["pending", "open", "closed"]),
  closed_reason: z.string().nullable(),
  answer: z.string().nullable(),
});

/** Where an issue stands: of `relay status --json`, of the API, and of MCP. */
export const issueSchema = z
  .object({
    id,
    provider: z.enum(PROVIDERS),
    repository: z.string(),
    number: z
      .union([z.int(), z.string()])
      .meta({ description: "As people name it: a number where the tracker has one." }),
    title: z.string(),
    state: z.enum(ISSUE_STATES),
    url: z.string().nullable(),
    since: time.meta({ description: "When it came to its state." }),
    waiting_for: z.object({
      what: z.enum(STANDS),
      people: z.array(z.string()).meta({ description: "Logins." }),
      anyone_with: z.enum(ANYONE).nullable().meta({ description: "Who else can act, by what they may do." }),
    }),
    next_wake_at: noTime.meta({ description: "When it goes on by itself." }),
    refused: z.string().nullable().meta({
      description: "What Relay is not allowed to do for it, and how to mend that; it goes on by itself then.",
    }),
    limited_until: noTime.meta({ description: "Until when the tracker's limit keeps it waiting." }),
    next_step: z.string().nullable().meta({ description: "The operator's command that has it go on." }),
    engaged_by: z.string().nullable(),
    go_ahead_by: z.string().nullable(),
    paused_because: z.string().nullable(),
    open_gaps: z.int(),
    spec: specHeadSchema.nullable(),
    plan: planHeadSchema.nullable(),
    task: z.object({ id, status: z.string(), confirmed_by: z.string(), enqueued_at: time }).nullable(),
    run: runSchema.nullable(),
    pull_request: requestSchema.extend({ risk: z.enum(RISKS).nullable(), concerns: z.array(concernSchema) }).nullable(),
    cost_usd: cost,
    unpriced_calls: z.int().meta({ description: "Calls and agent runs without a known price; not in the cost." }),
    usage: usageSchema,
    budget_stop: z.object({ budget: z.string(), window: z.string(), resumes_at: noTime }).nullable(),
    gaps: z.array(briefGapSchema),
    updated_at: time,
  })
  .meta({ id: "Issue", description: "Where an issue stands, as `relay status --json` prints it." });

export type ShownIssue = z.infer<typeof issueSchema>;

/** What is known of where an issue stands; `bot` is Relay's own login. */
export function standingIn(issue: Issue, overview: IssueOverview, bot: string): Standing {
  const stop = issue.state === "paused" ? overview.stop : null;
  return standingOf(issue, { ...overview, stop }, bot);
}

export async function shownIssue(
  issue: Issue,
  overview: IssueOverview,
  { places, bot }: { places: Places; bot: string },
): Promise<ShownIssue> {
  const { gaps, spec, plan, task, run, request, usage } = overview;
  const stop = issue.state === "paused" ? overview.stop : null;
  const standing = standingIn(issue, overview, bot);
  return {
    id: issue.id,
    provider: issue.provider,
    repository: issue.externalProjectId,
    number: numberOf(issue),
    title: issue.title,
    state: issue.state,
    url: issue.url,
    since: timeOf(standing.since),
    waiting_for: { what: standing.stand, people: standing.people, anyone_with: standing.anyone },
    next_wake_at: timeOf(standing.until),
    refused: overview.refused,
    limited_until: timeOf(overview.limitedUntil),
    next_step: nextStep(standing.stand, issue),
    engaged_by: overview.engagedBy,
    go_ahead_by: overview.goAheadBy,
    paused_because: issue.state === "paused" ? overview.pausedBecause : null,
    open_gaps: gaps.filter((gap) => gap.status === "open").length,
    spec: spec && (await shownSpecHead(spec, places)),
    plan: plan && shownPlanHead(plan),
    task: task && shownTask(task),
    run: run && shownRun(run),
    pull_request: request && { ...shownRequest(request), ...lookAt(plan, overview) },
    cost_usd: knownCost(usage),
    unpriced_calls: usage.unpricedCalls,
    usage: {
      calls: usage.calls,
      agent_runs: usage.agentRuns,
      input_tokens: usage.inputTokens,
      cached_tokens: usage.cachedTokens,
      output_tokens: usage.outputTokens,
    },
    budget_stop: stop && { budget: stop.budget, window: stop.window, resumes_at: timeOf(stop.resumesAt) },
    gaps: gaps.map(({ number, question, status, closedReason, closedNote }) => ({
      number,
      question,
      status,
      closed_reason: closedReason,
      answer: closedNote,
    })),
    updated_at: timeOf(issue.updatedAt),
  };
}

/** As people name it: a number where the tracker has one. */
export function numberOf({ externalIssueId }: Pick<Issue, "externalIssueId">): number | string {
  return /^\d{1,15}$/.test(externalIssueId) ? Number(externalIssueId) : externalIssueId;
}

function shownTask(task: Task) {
  return {
    id: task.id,
    status: task.status,
    confirmed_by: task.approvedBy,
    enqueued_at: timeOf(task.enqueuedAt),
  };
}

/** What a person should look at in a request, and how risky that makes it. */
export function lookAt(plan: PostedPlan | null, { concerns }: Pick<IssueOverview, "concerns">) {
  return { risk: plan && riskOf(plan.triage.risk, concerns).risk, concerns };
}

/** The command by which the operator lets an issue continue; null if other people's words do. */
function nextStep(stand: Stand, { provider, externalIssueId }: Issue): string | null {
  switch (stand) {
    case "failed":
    case "stuck":
      return `relay retry ${externalIssueId}`;
    case "paused":
    case "budget":
      return `relay resume ${externalIssueId}`;
    case "person":
      return provider === "local" ? null : `relay work ${externalIssueId}`;
    default:
      return null;
  }
}
