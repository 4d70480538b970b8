import type { IterationFacts } from "../domain/work.ts";
import type { LoopResult, WorkLimits, WorkOrder } from "./order.ts";
import { isExcused, isGreen, standstill } from "./progress.ts";

/**
 * What a run has come to, by its facts alone; null where another iteration is due (R-WORK-2). Pure, so that a run that
 * a crash cut off is judged as it would have been.
 *
 * A run is done when checks and tests let the change stand and nothing is left over: every file of the plan is
 * touched, and no command is red as it was before. What is left over must at least have been seen: either the agent
 * says in its note why it is left, or a fresh one that was told of it finds nothing more to change.
 */
export function judge(facts: readonly IterationFacts[], order: WorkOrder, limits: WorkLimits): LoopResult | null {
  const now = facts.at(-1);
  const before = firstLook(facts);
  if (now === undefined || now.agent === null) return limitOf(facts, limits);
  const { question } = now.agent;
  if (question !== null && !order.answers.some((each) => each.question === question)) {
    return { kind: "question", question };
  }
  if (isDone(now, facts, order)) {
    const redBefore = now.checks.filter((check) => isExcused(check, before)).map(({ command }) => command);
    return { kind: "done", checks: now.checks, summary: now.agent.done ?? summaryOf(facts), redBefore };
  }
  if (!now.agent.usable) return { kind: "unusable", detail: now.agent.detail };
  const still = standstill(facts);
  if (still !== null) return { kind: "no progress", detail: because(still, now), checks: now.checks };
  return limitOf(facts, limits);
}

/** What was said by the last one that changed something: who found nothing more to do tells no news. */
function summaryOf(facts: readonly IterationFacts[]): string {
  const last = facts.findLast(({ commit }) => commit !== null) ?? facts.at(-1);
  return last?.agent?.summary ?? "";
}

/** The commands before any change; empty where nobody looked. */
export function firstLook(facts: readonly IterationFacts[]): IterationFacts["checks"] {
  return facts.find(({ number }) => number === 0)?.checks ?? [];
}

function isDone(now: IterationFacts, facts: readonly IterationFacts[], order: WorkOrder): boolean {
  const before = firstLook(facts);
  const { agent } = now;
  if (agent === null || !isGreen(now.checks, before)) return false;
  const changed = now.commit !== null;
  if (order.reason === "plan") {
    if (now.changedFiles === 0) return false;
  } else if (!facts.some(({ commit }) => commit !== null)) {
    // The branch stands already: what people asked for may need no change, where the agent says why.
    return agent.done !== null && order.reason === "review";
  }
  if (agent.done !== null) return true;
  // Cut off in the middle of something.
  if (changed && (agent.ending === "timeout" || agent.ending === "flooded" || agent.ending === "limit")) return false;
  if (!changed && agent.ending === "finished") return true;
  const leftOver = now.checks.some((check) => isExcused(check, before));
  return !leftOver && (order.reason !== "plan" || now.untouched.length === 0);
}

function limitOf(facts: readonly IterationFacts[], limits: WorkLimits): LoopResult | null {
  const checks = facts.at(-1)?.checks ?? [];
  const sum = (of: "usd" | "seconds") => facts.reduce((total, one) => total + one[of], 0);
  if (facts.filter(({ number }) => number > 0).length >= limits.iterations) {
    return { kind: "limit", limit: "iterations", checks };
  }
  if (limits.usd !== null && sum("usd") >= limits.usd) return { kind: "limit", limit: "money", checks };
  if (sum("seconds") >= limits.minutes * 60) return { kind: "limit", limit: "minutes", checks };
  return null;
}

function because(still: string, { agent }: IterationFacts): string {
  return agent === null || agent.detail === "" ? still : `${still}; the last one ended so: ${agent.detail}`;
}
