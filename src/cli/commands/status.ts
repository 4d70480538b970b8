import type { SpecStore } from "../../adapters/spec-stores/spec-store.ts";
import type { StaleCitation } from "../../domain/spec.ts";
import { type Issue, issueName } from "../../domain/issue.ts";
import { type DeadLetter, isLetterOf, listDeadLetters } from "../../storage/dead-letters.ts";
import { listIssues } from "../../storage/issues.ts";
import { type IssueOverview, overviewsOf } from "../../storage/issue-overview.ts";
import { statusOf } from "../../storage/specs.ts";
import { writeStateFiles } from "../../storage/state-files.ts";
import { costText, knownCost } from "../costs.ts";
import { pickIssue } from "../issues.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { withRelay } from "../session.ts";
import { riskOf } from "../../domain/concern.ts";
import type { Run, TaskRequest } from "../../domain/work.ts";
import { cut, oneLine } from "../../lib/text.ts";
import { type Stand, standingOf } from "../../domain/standing.ts";
import { timeText } from "../../i18n/dates.ts";
import { concernLines } from "../../notify/concern-words.ts";
import { standingWords } from "../../notify/status-comment.ts";

const MOST_CITATIONS = 5;

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
    const overviewOf = await overviewsOf(
      relay.db,
      issues.map(({ id }) => id),
    );
    const rows = await Promise.all(
      issues.map(async (issue) => await describe(issue, overviewOf(issue.id), relay.specStore, relay.tracker.bot)),
    );
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
      terminal.out(`    ${row.words} Since ${timeText(new Date(shown.since), "en")}.\n`);
      if (shown.next_wake_at !== null) terminal.out(`    goes on at ${timeText(new Date(shown.next_wake_at), "en")}\n`);
      if (shown.next_step !== null) terminal.out(`    next: \`${shown.next_step}\`\n`);
      if (shown.url !== null) terminal.out(`    ${shown.url}\n`);
      if (shown.engaged_by !== null) terminal.out(`    called by @${shown.engaged_by}\n`);
      if (shown.paused_because !== null) terminal.out(`    paused: ${cut(oneLine(shown.paused_because), 300)}\n`);
      if (shown.open_gaps > 0) terminal.out(`    ${shown.open_gaps} open question(s)\n`);
      if (shown.spec) {
        const by = shown.go_ahead_by === null ? "" : `, go-ahead by @${shown.go_ahead_by}`;
        const { path, url, complexity, validation_status: validity, status: now } = shown.spec;
        const verdict = [now, ...verdictText(shown.spec)].join(", ");
        terminal.out(`    spec ${url ?? path} (${complexity}, ${validity}, ${verdict})${by}
`);
        const stale = staleText(shown.spec.stale_citations);
        if (stale !== null)
          terminal.out(`    ${stale}
`);
      }
      if (shown.plan) terminal.out(`    plan ${shown.plan.version} (${shown.plan.status}), ${shown.plan.branch}\n`);
      if (shown.task) terminal.out(`    task ${shown.task.status}, confirmed by @${shown.task.confirmed_by}\n`);
      if (shown.run) terminal.out(`    ${runText(shown.run)}\n`);
      if (shown.pull_request) terminal.out(`    ${requestText(shown.pull_request)}\n`);
      if (shown.pull_request) for (const line of row.concerns) terminal.out(`      ${line}\n`);
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

/** Markdown as a terminal shows it: the texts of links, and signs as they are. */
function plain(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/\\([!-/:-@[-`{-~])/g, "$1");
}

async function describe(
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
    concerns: concernLines(concerns, "en").map((line) => plain(line).replaceAll("**", "")),
    words: plain(standingWords(issue, { standing, plan, request }, "en")),
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
