import type { Run, TaskRequest } from "../domain/work.ts";

/** A run as JSON shows it. */
export function shownRun(run: Run) {
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
export function runText(run: ReturnType<typeof shownRun>): string {
  const cost = run.cost_usd === 0 ? "" : `, $${run.cost_usd.toFixed(2)}`;
  const why = run.detail === null ? "" : `: ${run.detail.replaceAll(/\s+/g, " ").slice(0, 200)}`;
  return `run ${run.status} (${run.reason}) by ${run.agent}, ${run.iterations} iteration(s)${cost}${why}`;
}

/** A task's request as JSON shows it. */
export function shownRequest({ number, url, branch, base, state }: TaskRequest) {
  return { number, url, branch, base, state };
}

/** The same as people read it, on one line. */
export function requestText({ number, url, state, branch }: ReturnType<typeof shownRequest>): string {
  return `pull request ${url ?? `#${number}`} (${state}), ${branch}`;
}
