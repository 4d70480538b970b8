import { isSameQuestion } from "../../domain/gap.ts";
import type { IterationFacts } from "../../domain/work.ts";
import type { LoopResult, WorkLimits, WorkOrder } from "./work-order.ts";
import { isPreexisting, isGreen, stallReason } from "./progress.ts";

/**
 * What a run has come to, by its facts alone; null where another iteration is due (R-WORK-2). Pure, so that a run that
 * a crash cut off is judged as it would have been.
 *
 * A run is done when checks and tests let the change stand and nothing is left over: every file of the plan is
 * touched, and no command is red as it was before. What is left over must at least have been seen: either the agent
 * says in its note why it is left, or a fresh one that was told of it leaves it too.
 */
export function completionOf(
  facts: readonly IterationFacts[],
  order: WorkOrder,
  limits: WorkLimits,
): LoopResult | null {
  const now = facts.at(-1);
  const limit = limitOf(facts, limits);
  if (now === undefined || now.agent === null) return limit;
  const { agent, checks } = now;
  const question = openQuestion(facts, order);
  if (question !== null) return { kind: "question", question };
  const still = stallReason(facts);
  const atEnd = still !== null || limit !== null;
  if (isDone(facts, order) || (atEnd && isAcceptable(now, facts, order) && isCovered(now, order))) {
    const before = baselineChecks(facts);
    const redBefore = checks.filter((check) => isPreexisting(check, before)).map(({ command }) => command);
    return { kind: "done", checks, summary: agent.done ?? summaryOf(facts), redBefore };
  }
  if (!agent.usable) return { kind: "unusable", detail: agent.detail };
  if (still === null) return limit;
  const detail = agent.detail === "" ? still : `${still}; the last one ended so: ${agent.detail}`;
  return { kind: "no progress", detail, checks };
}

/** What was said by the last one that changed something: who found nothing more to do tells no news. */
function summaryOf(facts: readonly IterationFacts[]): string {
  const last = facts.findLast(({ commit }) => commit !== null) ?? facts.at(-1);
  return last?.agent?.summary ?? "";
}

/**
 * What the agent asks and nobody has answered yet. Where people have, a fresh agent that was told of it looks again; if it
 * asks the same once more, the answer was not enough.
 */
function openQuestion(facts: readonly IterationFacts[], { answers }: WorkOrder): string | null {
  const asked = facts.flatMap(({ agent }) => (agent === null ? [] : [agent.question]));
  const question = asked.pop() ?? null;
  if (question === null || !answers.some((each) => isSameQuestion(each.question, question))) return question;
  return asked.some((before) => before !== null && isSameQuestion(before, question)) ? question : null;
}

/** The commands before any change; empty where nobody looked. */
export function baselineChecks(facts: readonly IterationFacts[]): IterationFacts["checks"] {
  return facts.find(({ number }) => number === 0)?.checks ?? [];
}

function isDone(facts: readonly IterationFacts[], order: WorkOrder): boolean {
  const now = facts.at(-1);
  const agent = now?.agent ?? null;
  if (now === undefined || agent === null) return false;
  if (!isAcceptable(now, facts, order)) {
    // The branch stands already: what people asked for may need no change, where the agent says why.
    return (
      (order.reason === "review" || order.reason === "conflict") &&
      agent.done !== null &&
      agent.question === null &&
      isGreen(now.checks, baselineChecks(facts))
    );
  }
  if (agent.done !== null) return true;
  const finished = agent.ending === "finished";
  if (now.commit === null && finished) return true;
  // Cut off in the middle of something.
  if (now.commit !== null && !finished && agent.ending !== "failed") return false;
  const left = leftOver(now, facts, order);
  if (left === 0) return true;
  const last = facts.at(-2);
  return finished && last !== undefined && isAcceptable(last, facts, order) && left >= leftOver(last, facts, order);
}

/** Whether there is a change, and the commands let it stand. */
function isAcceptable(now: IterationFacts, facts: readonly IterationFacts[], order: WorkOrder): boolean {
  // With a question no command was run.
  if (now.agent === null || now.agent.question !== null || !isGreen(now.checks, baselineChecks(facts))) return false;
  if (order.reason === "plan") return now.changedFiles > 0;
  return facts.some(({ number, commit }) => number <= now.number && commit !== null);
}

function isCovered(now: IterationFacts, order: WorkOrder): boolean {
  return order.reason !== "plan" || now.untouched.length === 0;
}

function leftOver(now: IterationFacts, facts: readonly IterationFacts[], order: WorkOrder): number {
  const red = now.checks.filter((check) => isPreexisting(check, baselineChecks(facts))).length;
  return red + (isCovered(now, order) ? 0 : now.untouched.length);
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
