import { withoutMarkdown } from "../domain/text/comment-markdown.ts";
import type { SpecStore } from "../adapters/spec-stores/spec-store.ts";
import { type Issue, issueName } from "../domain/issue.ts";
import type { StaleCitation } from "../domain/spec.ts";
import { timeText } from "../i18n/dates.ts";
import { codeSpan, cut, oneLine } from "../lib/text.ts";
import { concernLines } from "../notify/concern-words.ts";
import { standingText } from "../notify/status-comment.ts";
import type { IssueOverview } from "../storage/issue-overview.ts";
import { type ShownIssue, shownIssue } from "../server/api/shapes/issue.ts";
import { costText } from "./costs.ts";

const MOST_CITATIONS = 5;

export type IssueStatus = Awaited<ReturnType<typeof describe>>;

/** An issue as `relay status` prints it, with its questions and answers if it is the only one. */
export function statusText(
  issue: Issue,
  row: IssueStatus,
  { withGaps, now }: { withGaps: boolean; now: Date },
): string {
  const { shown, gaps, usage } = row;
  const lines: string[] = [];
  lines.push(`${issueName(issue)}  ${shown.state}  ${shown.title}`);
  lines.push(`    ${row.words} Since ${timeText(new Date(shown.since), "en")}.`);
  if (shown.refused !== null) lines.push(`    refused: ${cut(oneLine(shown.refused), 500)}; it goes on by itself then`);
  if (shown.limited_until !== null) {
    lines.push(`    the tracker’s limit is reached until ${timeText(new Date(shown.limited_until), "en")}`);
  }
  // Work that is due is being tried already.
  const next = shown.next_wake_at === null ? null : new Date(shown.next_wake_at);
  if (next !== null && next > now) lines.push(`    goes on at ${timeText(next, "en")}`);
  if (shown.next_step !== null) lines.push(`    next: ${codeSpan(shown.next_step)}`);
  if (shown.url !== null) lines.push(`    ${shown.url}`);
  if (shown.engaged_by !== null) lines.push(`    called by @${shown.engaged_by}`);
  if (shown.paused_because !== null) lines.push(`    paused: ${cut(oneLine(shown.paused_because), 300)}`);
  if (shown.open_gaps > 0) lines.push(`    ${shown.open_gaps} open question(s)`);
  if (shown.spec) {
    const by = shown.go_ahead_by === null ? "" : `, go-ahead by @${shown.go_ahead_by}`;
    const { path, url, complexity, validation_status: validity, status } = shown.spec;
    const verdict = [status, ...verdictText(shown.spec)].join(", ");
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

/** All that is known of where an issue stands; `shown` is its JSON. */
export async function describe(issue: Issue, overview: IssueOverview, specStore: SpecStore, bot: string) {
  const { gaps, concerns, usage } = overview;
  return {
    shown: await shownIssue(issue, overview, { places: specStore, bot }),
    usage,
    concerns: concernLines(concerns, "en").map((line) => withoutMarkdown(line).replaceAll("**", "")),
    words: standingText(issue, overview, bot),
    gaps: gaps.map(
      (gap) =>
        `gap ${gap.number} [${gap.status}${gap.closedReason === null ? "" : `: ${gap.closedReason}`}] ${gap.question}${gap.closedNote === null ? "" : ` → ${cut(oneLine(gap.closedNote), 300)}`}`,
    ),
  };
}

/** A run as people read it, on one line. */
function runText(run: NonNullable<ShownIssue["run"]>): string {
  const cost = run.cost_usd === null || run.cost_usd === 0 ? "" : `, $${run.cost_usd.toFixed(2)}`;
  const why = run.detail === null ? "" : `: ${run.detail.replaceAll(/\s+/g, " ").slice(0, 200)}`;
  return `run ${run.status} (${run.reason}) by ${run.agent}, ${run.iterations} iteration(s)${cost}${why}`;
}

/** A task's request as people read it, on one line. */
function requestText({ number, url, state, branch }: NonNullable<ShownIssue["pull_request"]>): string {
  return `pull request ${url ?? `#${number}`} (${state}), ${branch}`;
}
