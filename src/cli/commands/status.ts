import type { SpecStore } from "../../adapters/spec-stores/spec-store.ts";
import { type Issue, issueName } from "../../domain/issue.ts";
import { type DeadLetter, isLetterOf, listDeadLetters } from "../../storage/dead-letters.ts";
import { listIssues } from "../../storage/issues.ts";
import { type IssueOverview, overviewsOf } from "../../storage/issue-overview.ts";
import { writeStateFiles } from "../../storage/state-files.ts";
import { costText } from "../costs.ts";
import { pickIssue } from "../issues.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { withRelay } from "../session.ts";
import type { Run, TaskRequest } from "../../domain/work.ts";
import { cut, oneLine } from "../../lib/text.ts";

/** `relay status [ISSUE] [--write-files]`: the state of issues. */
export async function status(
  wanted: string | undefined,
  options: CommonOptions & { writeFiles?: boolean },
  terminal: Terminal,
): Promise<number> {
  return await withRelay(options, terminal, async (relay) => {
    const all = await listIssues(relay.db);
    if (options.writeFiles) {
      const files = await writeStateFiles(relay.config.home, all);
      terminal.err(`${files.length} state file(s) written below ${relay.config.home}\n`);
    }
    const issues = wanted === undefined ? all : [pickIssue(all, wanted)];
    const letters = (await listDeadLetters(relay.db)).filter(
      (letter) => wanted === undefined || issues.some((issue) => isLetterOf(letter, issueName(issue))),
    );
    const standingOf = await overviewsOf(
      relay.db,
      issues.map(({ id }) => id),
    );
    const rows = issues.map((issue) => describe(issue, standingOf(issue.id), relay.specStore));
    if (options.json) {
      printJson(terminal, { issues: rows.map((row) => row.shown), dead_letters: letters.map(shownLetter) });
      return EXIT.done;
    }
    if (rows.length === 0) terminal.out("No issues yet. Try `relay spec ISSUE.md`, or `relay demo`.\n");
    for (const [index, row] of rows.entries()) {
      const issue = issues[index];
      if (!issue) continue;
      const { shown, gaps, usage } = row;
      terminal.out(`${issueName(issue)}  ${shown.state}  ${shown.title}\n`);
      if (shown.paused_because !== null) terminal.out(`    paused: ${cut(oneLine(shown.paused_because), 300)}\n`);
      if (shown.open_gaps > 0) terminal.out(`    ${shown.open_gaps} open question(s)\n`);
      if (shown.spec) {
        terminal.out(`    spec ${shown.spec.path} (${shown.spec.complexity}, ${shown.spec.validation_status})\n`);
      }
      if (shown.plan) terminal.out(`    plan ${shown.plan.version} (${shown.plan.status}), ${shown.plan.branch}\n`);
      if (shown.task) terminal.out(`    task ${shown.task.status}, confirmed by @${shown.task.confirmed_by}\n`);
      if (shown.run) terminal.out(`    ${runText(shown.run)}\n`);
      if (shown.pull_request) terminal.out(`    ${requestText(shown.pull_request)}\n`);
      const cost = costText(usage);
      if (cost !== null) terminal.out(`    ${cost}\n`);
      if (shown.budget_stop) terminal.out(`    ${stopText(shown.budget_stop)}\n`);
      if (wanted !== undefined) for (const gap of gaps) terminal.out(`    ${gap}\n`);
    }
    for (const letter of letters) {
      const what = letter.what === "delivery" ? `delivery ${letter.deliveryId}` : "work";
      terminal.out(`${issueName(letter.issue)}  ${what} given up: ${letter.error}; \`relay retry\` tries it again\n`);
    }
    return EXIT.done;
  });
}

function shownLetter(letter: DeadLetter) {
  return {
    what: letter.what,
    issue: issueName(letter.issue),
    delivery_id: letter.deliveryId,
    attempts: letter.attempts,
    error: letter.error,
    dead_lettered_at: letter.deadLetteredAt.toISOString(),
  };
}

function stopText(stop: { budget: string; resumes_at: string | null }): string {
  const goesOn = stop.resumes_at === null ? "continue with `relay resume`" : `continues after ${stop.resumes_at}`;
  return `stopped by the budget ${stop.budget}; ${goesOn}`;
}

function describe(
  issue: Issue,
  { gaps, spec, plan, task, run, request, usage, ...standing }: IssueOverview,
  specStore: SpecStore,
) {
  const { pausedBecause } = standing;
  const stop = issue.state === "paused" ? standing.stop : null;
  const shown = {
    id: issue.id,
    provider: issue.provider,
    repository: issue.externalProjectId,
    number: /^\d+$/.test(issue.externalIssueId) ? Number(issue.externalIssueId) : issue.externalIssueId,
    title: issue.title,
    state: issue.state,
    paused_because: issue.state === "paused" ? pausedBecause : null,
    open_gaps: gaps.filter((gap) => gap.status === "open").length,
    spec: spec && {
      ...spec.ref,
      path: specStore.where(spec.ref),
      complexity: spec.complexity,
      validation_status: spec.validationStatus,
      status: spec.status,
    },
    plan: plan && {
      version: plan.version,
      sha256: plan.sha256,
      status: plan.status,
      branch: plan.plan.branch_name,
      risk: plan.triage.risk,
      files: plan.plan.file_changes.length,
      minutes: plan.plan.estimated_duration,
    },
    task: task && {
      id: task.id,
      status: task.status,
      confirmed_by: task.approvedBy,
      enqueued_at: task.enqueuedAt.toISOString(),
    },
    run: run && shownRun(run),
    pull_request: request && shownRequest(request),
    cost_usd: usage.costUsd,
    /** Calls without a known price; not included in the cost. */
    unpriced_calls: usage.unpricedCalls,
    usage: {
      calls: usage.calls,
      input_tokens: usage.inputTokens,
      cached_tokens: usage.cachedTokens,
      output_tokens: usage.outputTokens,
    },
    budget_stop: stop && {
      budget: stop.budget,
      window: stop.window,
      resumes_at: stop.resumesAt?.toISOString() ?? null,
    },
    updated_at: issue.updatedAt.toISOString(),
  };
  return {
    shown,
    usage,
    gaps: gaps.map(
      (gap) =>
        `gap ${gap.number} [${gap.status}${gap.closedReason === null ? "" : `: ${gap.closedReason}`}] ${gap.question}`,
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
    cost_usd: run.usd,
    detail: run.detail,
    started_at: run.startedAt.toISOString(),
    ended_at: run.endedAt?.toISOString() ?? null,
  };
}

/** The same as people read it, on one line. */
function runText(run: ReturnType<typeof shownRun>): string {
  const cost = run.cost_usd === 0 ? "" : `, $${run.cost_usd.toFixed(2)}`;
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
