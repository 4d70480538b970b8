import { withoutMarkdown } from "../domain/text/comment-markdown.ts";
import type { SpecStore } from "../adapters/spec-stores/spec-store.ts";
import { riskOf } from "../domain/concern.ts";
import { type Issue, issueName } from "../domain/issue.ts";
import type { StaleCitation } from "../domain/spec.ts";
import { type Stand, standingOf } from "../domain/standing.ts";
import type { Run, TaskRequest } from "../domain/work.ts";
import { timeText } from "../i18n/dates.ts";
import { cut, oneLine } from "../lib/text.ts";
import { concernLines } from "../notify/concern-words.ts";
import { standingWords } from "../notify/status-comment.ts";
import type { IssueOverview } from "../storage/issue-overview.ts";
import { statusOf } from "../storage/specs.ts";
import { costText, knownCost } from "./costs.ts";

const MOST_CITATIONS = 5;

export type IssueStatus = Awaited<ReturnType<typeof describe>>;

/** An issue as `relay status` prints it, with its questions and answers if it is the only one. */
export function statusText(issue: Issue, row: IssueStatus, { withGaps }: { withGaps: boolean }): string {
  const { shown, gaps, usage } = row;
  const lines: string[] = [];
  lines.push(`${issueName(issue)}  ${shown.state}  ${shown.title}`);
  lines.push(`    ${row.words} Since ${timeText(new Date(shown.since), "en")}.`);
  if (shown.next_wake_at !== null) lines.push(`    goes on at ${timeText(new Date(shown.next_wake_at), "en")}`);
  if (shown.next_step !== null) lines.push(`    next: \`${shown.next_step}\``);
  if (shown.url !== null) lines.push(`    ${shown.url}`);
  if (shown.engaged_by !== null) lines.push(`    called by @${shown.engaged_by}`);
  if (shown.paused_because !== null) lines.push(`    paused: ${cut(oneLine(shown.paused_because), 300)}`);
  if (shown.open_gaps > 0) lines.push(`    ${shown.open_gaps} open question(s)`);
  if (shown.spec) {
    const by = shown.go_ahead_by === null ? "" : `, go-ahead by @${shown.go_ahead_by}`;
    const { path, url, complexity, validation_status: validity, status: now } = shown.spec;
    const verdict = [now, ...verdictText(shown.spec)].join(", ");
    lines.push(`    spec ${url ?? path} (${complexity}, ${validity}, ${verdict})${by}`);
    const stale = staleText(shown.spec.stale_citations);
    if (stale !== null) lines.push(`    ${stale}`);
  }
  if (shown.plan) lines.push(`    plan ${shown.plan.version} (${shown.plan.status}), ${shown.plan.branch}`);
  if (shown.task) lines.push(`    task ${shown.task.status}, confirmed by @${shown.task.confirmed_by}`);
  if (shown.run) lines.push(`    ${runText(shown.run)}`);
  if (shown.pull_request) lines.push(`    ${requestText(shown.pull_request)}`);
  if (shown.pull_request) for (const line of row.concerns) lines.push(`      ${line}`);
  const cost = costText(usage);
  if (cost !== null) lines.push(`    ${cost}`);
  if (shown.budget_stop) lines.push(`    ${stopText(shown.budget_stop)}`);
  if (withGaps) for (const gap of gaps) lines.push(`    ${gap}`);
  return `${lines.join("\n")}\n`;
}

/** Who approved or rejected a spec, and when, as far as that is known. */
function verdictText(spec: { verdict: string | null; decided_by: string | null; decided_at: string | null }): string[] {
  const { verdict, decided_by: by, decided_at: at } = spec;
  return verdict === null || by === null || at === null
    ? []
    : [`${verdict} by @${by} on ${timeText(new Date(at), "en")}`];
}

/** Which citations of a spec are not true any more; null if all are. */
function staleText(citations: readonly StaleCitation[]): string | null {
  if (citations.length === 0) return null;
  const some = citations.slice(0, MOST_CITATIONS).map(({ location, what }) => `${location} (${what})`);
  const more = citations.length > some.length ? ` and ${citations.length - some.length} more` : "";
  return `stale: the code changed where the spec, and a plan made from it, cites ${some.join(", ")}${more}`;
}

function stopText(stop: { budget: string; resumes_at: string | null }): string {
  const goesOn = stop.resumes_at === null ? "continue with `relay resume`" : `continues after ${stop.resumes_at}`;
  return `stopped by the budget ${stop.budget}; ${goesOn}`;
}

/** The command with which the operator has an issue go on; null where other people's words do. */
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

/** All that is known of where an issue stands; `shown` is its JSON. */
export async function describe(
  issue: Issue,
  { gaps, spec, plan, task, run, request, concerns, usage, ...overview }: IssueOverview,
  specStore: SpecStore,
  bot: string,
) {
  const { pausedBecause } = overview;
  const stop = issue.state === "paused" ? overview.stop : null;
  const standing = standingOf(issue, { gaps, spec, plan, task, run, request, ...overview }, bot);
  const shown = {
    id: issue.id,
    provider: issue.provider,
    repository: issue.externalProjectId,
    number: /^\d+$/.test(issue.externalIssueId) ? Number(issue.externalIssueId) : issue.externalIssueId,
    title: issue.title,
    state: issue.state,
    url: issue.url,
    since: standing.since.toISOString(),
    waiting_for: { what: standing.stand, people: standing.people, anyone_with: standing.anyone },
    next_wake_at: standing.until?.toISOString() ?? null,
    next_step: nextStep(standing.stand, issue),
    engaged_by: overview.engagedBy,
    go_ahead_by: overview.goAheadBy,
    paused_because: issue.state === "paused" ? pausedBecause : null,
    open_gaps: gaps.filter((gap) => gap.status === "open").length,
    spec: spec && {
      ...spec.ref,
      path: specStore.where(spec.ref),
      url: await specStore.address(spec.ref),
      complexity: spec.complexity,
      validation_status: spec.validationStatus,
      status: statusOf(spec),
      verdict: spec.status === "approved" || spec.status === "rejected" ? spec.status : null,
      decided_by: spec.decidedBy,
      decided_at: spec.decidedAt?.toISOString() ?? null,
      stale_citations: spec.staleCitations,
    },
    plan: plan && {
      version: plan.version,
      sha256: plan.sha256,
      status: plan.status,
      branch: plan.plan.branch_name,
      risk: plan.triage.risk,
      files: plan.plan.file_changes.length,
      minutes: plan.plan.estimated_duration,
      approved_by: plan.approval?.by ?? null,
    },
    task: task && {
      id: task.id,
      status: task.status,
      confirmed_by: task.approvedBy,
      enqueued_at: task.enqueuedAt.toISOString(),
    },
    run: run && shownRun(run),
    pull_request: request && {
      ...shownRequest(request),
      risk: plan && riskOf(plan.triage.risk, concerns).risk,
      concerns,
    },
    /** Null where nothing that was used has a known price. */
    cost_usd: knownCost(usage),
    /** Calls and agent runs without a known price; not included in the cost. */
    unpriced_calls: usage.unpricedCalls,
    usage: {
      calls: usage.calls,
      agent_runs: usage.agentRuns,
      input_tokens: usage.inputTokens,
      cached_tokens: usage.cachedTokens,
      output_tokens: usage.outputTokens,
    },
    budget_stop: stop && {
      budget: stop.budget,
      window: stop.window,
      resumes_at: stop.resumesAt?.toISOString() ?? null,
    },
    gaps: gaps.map(({ number, question, status: now, closedReason, closedNote }) => ({
      number,
      question,
      status: now,
      closed_reason: closedReason,
      answer: closedNote,
    })),
    updated_at: issue.updatedAt.toISOString(),
  };
  return {
    shown,
    usage,
    concerns: concernLines(concerns, "en").map((line) => withoutMarkdown(line).replaceAll("**", "")),
    words: withoutMarkdown(standingWords(issue, { standing, plan, request }, "en")),
    gaps: gaps.map(
      (gap) =>
        `gap ${gap.number} [${gap.status}${gap.closedReason === null ? "" : `: ${gap.closedReason}`}] ${gap.question}${gap.closedNote === null ? "" : ` → ${cut(oneLine(gap.closedNote), 300)}`}`,
    ),
  };
}

/** A run as JSON shows it. */
function shownRun(run: Run) {
  return {
    id: run.id,
    reason: run.reason,
    status: run.status,
    agent: run.agent,
    branch: run.branch,
    commit: run.head,
    iterations: run.iterations,
    cost_usd: run.usd === 0 && run.agent !== "script" ? null : run.usd,
    detail: run.detail,
    started_at: run.startedAt.toISOString(),
    ended_at: run.endedAt?.toISOString() ?? null,
  };
}

/** The same as people read it, on one line. */
function runText(run: ReturnType<typeof shownRun>): string {
  const cost = run.cost_usd === null || run.cost_usd === 0 ? "" : `, $${run.cost_usd.toFixed(2)}`;
  const why = run.detail === null ? "" : `: ${run.detail.replaceAll(/\s+/g, " ").slice(0, 200)}`;
  return `run ${run.status} (${run.reason}) by ${run.agent}, ${run.iterations} iteration(s)${cost}${why}`;
}

/** A task's request as JSON shows it. */
function shownRequest({ number, url, branch, base, state }: TaskRequest) {
  return { number, url, branch, base, state };
}

/** The same as people read it, on one line. */
function requestText({ number, url, state, branch }: ReturnType<typeof shownRequest>): string {
  return `pull request ${url ?? `#${number}`} (${state}), ${branch}`;
}
