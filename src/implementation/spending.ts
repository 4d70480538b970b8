import type { Issue } from "../domain/issue.ts";
import type { IterationFacts, Run } from "../domain/work.ts";
import { addCall } from "../storage/model-calls.ts";
import type { Claim } from "./claim.ts";
import type { WorkerDeps } from "./worker.ts";

/** Characters of the agent's summary that are stored with its cost; the run's log has the full text. */
const LONGEST = 4_000;

/**
 * Records one agent run like a model call (R-OBS-1), so that it counts towards the issue's cost and budgets (R-OBS-2).
 * If its cost is unknown, it is an unpriced call.
 */
export async function recordAgentRun(
  { issue, run }: { issue: Pick<Issue, "id">; run: Pick<Run, "id" | "agent" | "reason"> },
  facts: IterationFacts,
  { db, clock, ids, settings }: Pick<WorkerDeps, "db" | "clock" | "ids" | "settings">,
): Promise<void> {
  const { agent, number, seconds, usd, priced, tokens, countedBy, estimated, commit } = facts;
  // The baseline runs no agent.
  if (agent === null) return;
  const { model } = settings;
  const unknown = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0, estimated: true };
  const isKnown = priced === true || usd > 0 || run.agent === "script";
  await addCall(
    db,
    {
      issueId: issue.id,
      cycleId: null,
      stage: "worker",
      role: "worker",
      provider: run.agent,
      model: model === null ? run.agent : `${model.provider}/${model.name}`,
      step: number,
      attempt: 1,
      promptHash: "",
      input: { run: run.id, reason: run.reason, iteration: number, counted_by: countedBy ?? "agent" },
      output: { ending: agent.ending, summary: agent.summary.slice(0, LONGEST), commit },
      latencyMs: seconds * 1_000,
      status: agent.ending === "finished" ? "ok" : agent.ending,
      finishReason: null,
      usage: tokens === undefined ? unknown : { ...tokens, estimated: estimated ?? false },
      costUsd: isKnown ? usd : null,
      startedAt: clock.now(),
    },
    { ids },
  );
}

/**
 * US dollars that all iterations of this run may cost, including the `earlier` ones: the run's own limit, capped by
 * what remains of the issue's budgets, minus its other costs (attempts that an outage ended, iterations that were
 * lost).
 */
export function costLimit(
  { restUsd, run }: Pick<Claim, "restUsd"> & { run: Pick<Run, "usd"> },
  usd: number | null,
  earlier: readonly Pick<IterationFacts, "usd">[],
): number | null {
  const bounds = [usd, restUsd === null ? null : restUsd + run.usd].filter((bound) => bound !== null);
  if (bounds.length === 0) return null;
  const otherwise = run.usd - earlier.reduce((sum, one) => sum + one.usd, 0);
  return Math.max(0, Math.min(...bounds) - Math.max(0, otherwise));
}
