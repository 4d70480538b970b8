import { isSameQuestion } from "../../domain/gap.ts";
import type { IterationFacts } from "../../domain/work.ts";
import type { LoopResult, Unfinished, WorkLimits, WorkOrder } from "./work-order.ts";
import { isPreexisting, isGreen, stallReason, uninterrupted, unpricedTokens } from "./progress.ts";
import type { FixPlan } from "../../domain/plan.ts";

/**
 * Decides whether a run is over, and with which result; null if it needs another iteration (R-WORK-2). Pure, so that a
 * run resumed after a crash gets the same decision.
 *
 * A run is done when checks and tests accept the change and nothing is left over: every file of the plan is touched,
 * and no command still fails as in the baseline. Leftovers are accepted if the agent's note explains them, or if a
 * fresh agent that knows about them leaves them too. A change that touches no file of the plan goes back to a fresh
 * agent once, whatever the note says (R-WORK-11).
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
  // An outage interrupted the agent, so another iteration is needed.
  if (agent.interrupted === true && limit === null) return null;
  const question = openQuestion(facts, order);
  if (question !== null) return { kind: "question", question };
  const still = stallReason(facts);
  const atEnd = still !== null || limit !== null;
  if (isNotCaused(facts, order)) return { kind: "not caused", checks, said: agent.done ?? "" };
  const goesBack = limit === null && missesPlan(now, order) && !wasToldOfPlan(facts, order);
  if ((isDone(facts, order) && !goesBack) || (atEnd && isAcceptable(now, facts, order) && isCovered(now, order))) {
    const before = baselineChecks(facts);
    const redBefore = checks.filter((check) => isPreexisting(check, before)).map(({ command }) => command);
    return {
      kind: "done",
      checks,
      summary: agent.done ?? summaryOf(facts),
      redBefore,
      before: [...before],
      proving: now.proof?.proving ?? [],
      concerns: now.concerns?.all ?? [],
      scan: now.concerns?.scan ?? null,
    };
  }
  if (!agent.usable) return { kind: "unusable", detail: agent.detail };
  if (still === null) return limit;
  const detail = agent.detail === "" ? still : `${still}; the last one ended so: ${agent.detail}`;
  return { kind: "no progress", detail, ...unfinished(facts) };
}

/**
 * Whether the agent says that the change did not cause the red checks, and changed nothing. Its own commands must
 * agree: they pass, or fail as before. People decide then (R-WORK-15).
 */
function isNotCaused(facts: readonly IterationFacts[], { reason }: WorkOrder): boolean {
  const now = facts.at(-1);
  if (reason !== "checks" || now?.agent?.done == null || now.agent.question !== null) return false;
  return facts.every(({ commit }) => commit === null) && isGreen(now.checks, baselineChecks(facts));
}

function unfinished(facts: readonly IterationFacts[]): Unfinished {
  const { agent = null, checks = [], proof, undone = [] } = facts.at(-1) ?? {};
  const fault = agent?.ending === "failed" && agent.bound === undefined ? agent.detail : "";
  return { checks, isClean: proof !== undefined, said: saidLast(facts), bounds: boundsOf(facts), fault, undone };
}

/** The limits at which the agent was killed, each once, as their settings: `work.memory_mb: 512`. */
export function boundsOf(facts: readonly IterationFacts[]): string[] {
  return [...new Set(facts.flatMap(({ agent }) => agent?.bound ?? []))];
}

function saidLast(facts: readonly IterationFacts[]): string {
  const words = facts.map(({ agent }) => agent?.done ?? agent?.summary ?? "");
  return words.findLast((each) => each !== "") ?? "";
}

/** The summary of the last iteration that changed something: an idle one has nothing to report. */
function summaryOf(facts: readonly IterationFacts[]): string {
  const last = facts.findLast(({ commit }) => commit !== null) ?? facts.at(-1);
  return last?.agent?.summary ?? "";
}

/**
 * The agent's unanswered question. After an answer, a fresh agent tries again; if it asks the same question again, the
 * answer was not enough.
 */
function openQuestion(facts: readonly IterationFacts[], { answers }: WorkOrder): string | null {
  const asked = facts.flatMap(({ agent }) => (agent === null ? [] : [agent.question]));
  const question = asked.pop() ?? null;
  if (question === null || !answers.some((each) => isSameQuestion(each.question, question))) return question;
  return asked.some((before) => before !== null && isSameQuestion(before, question)) ? question : null;
}

/** Results of the commands before any change; empty without a baseline. */
export function baselineChecks(facts: readonly IterationFacts[]): IterationFacts["checks"] {
  return facts.find(({ number }) => number === 0)?.checks ?? [];
}

function isDone(facts: readonly IterationFacts[], order: WorkOrder): boolean {
  const now = facts.at(-1);
  const agent = now?.agent ?? null;
  if (now === undefined || agent === null) return false;
  if (!isAcceptable(now, facts, order)) {
    // The branch is fine as it is: a request may need no change if the agent says why.
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
  // Interrupted in the middle of a change.
  if (now.commit !== null && !finished && (agent.ending !== "failed" || agent.bound !== undefined)) return false;
  const left = leftOver(now, facts, order);
  if (left === 0 || (finished && tellsOfRest(now, facts, order))) return true;
  const last = facts.at(-2);
  return finished && last !== undefined && isAcceptable(last, facts, order) && left >= leftOver(last, facts, order);
}

/**
 * Whether the leftovers are only files of the plan that the agent's last words name, while others were changed: a plan
 * may say to look at a file that needs no change. The pull request lists them next to these words.
 */
function tellsOfRest(now: IterationFacts, facts: readonly IterationFacts[], order: WorkOrder): boolean {
  const { agent } = now;
  const rest = restOf(now, order);
  if (leftOver(now, facts, order) > rest.length || rest.length >= order.plan.file_changes.length) return false;
  const words = new Set(
    (agent?.summary ?? "").split(/[^\p{L}\p{N}_./@+-]+/u).map((word) => word.replace(/[.:]+$/, "")),
  );
  return rest.every((path) => words.has(path) || words.has(path.slice(path.lastIndexOf("/") + 1)));
}

/** Whether there is a change, and the commands accept it. */
function isAcceptable(now: IterationFacts, facts: readonly IterationFacts[], order: WorkOrder): boolean {
  // No command ran after a question.
  if (now.agent === null || now.agent.question !== null || !isGreen(now.checks, baselineChecks(facts))) return false;
  if (order.reason === "plan") return now.changedFiles > 0;
  return facts.some(({ number, commit }) => number <= now.number && commit !== null);
}

/** Whether the branch has changes, but none in a file of the plan. */
function missesPlan({ changedFiles, untouched }: IterationFacts, { reason, plan }: WorkOrder): boolean {
  const planned = plan.file_changes.length;
  return reason === "plan" && changedFiles > 0 && planned > 0 && untouched.length === planned;
}

function wasToldOfPlan(facts: readonly IterationFacts[], order: WorkOrder): boolean {
  return facts.slice(0, -1).some((one) => one.agent !== null && missesPlan(one, order));
}

function isCovered(now: IterationFacts, order: WorkOrder): boolean {
  return order.reason !== "plan" || restOf(now, order).length === 0;
}

/**
 * Files of the plan that still need a change; once others are changed, without files that the plan only wants checked.
 */
function restOf({ untouched }: IterationFacts, { plan }: WorkOrder): string[] {
  const isBegun = untouched.length < plan.file_changes.length;
  return isBegun ? untouched.filter((path) => !isOnlyChecked(path, plan)) : untouched;
}

function leftOver(now: IterationFacts, facts: readonly IterationFacts[], order: WorkOrder): number {
  const red = now.checks.filter((check) => isPreexisting(check, baselineChecks(facts))).length;
  return red + (isCovered(now, order) ? 0 : restOf(now, order).length);
}

function limitOf(facts: readonly IterationFacts[], limits: WorkLimits): LoopResult | null {
  const shown = unfinished(facts);
  const sum = (of: "usd" | "seconds") => facts.reduce((total, one) => total + one[of], 0);
  if (uninterrupted(facts).length >= limits.iterations) {
    return { kind: "limit", limit: "iterations", ...shown };
  }
  if (limits.usd !== null && sum("usd") >= limits.usd) return { kind: "limit", limit: "money", ...shown };
  if (limits.tokens !== null && unpricedTokens(facts) >= limits.tokens)
    return { kind: "limit", limit: "tokens", ...shown };
  if (sum("seconds") >= limits.minutes * 60) return { kind: "limit", limit: "minutes", ...shown };
  return null;
}

/** How a step begins that only has something checked, in the eight languages of plans. */
const CHECKS =
  /^(?:(?:(?:double[- ])?check|verify|review|inspect|confirm|look (?:at|over|through)|see (?:whether|if)|sieh|checar|cheque|checa|revis(?:a|ar|emos))\b|(?:über)?prüfe|kontrollier|vergewisser|comprueb|comprobar|verifi[cq]|vérifi|contrôl|regarde|confir[ae]|провер|убеди|удостовер|посмотр|检查|核对|核实|确认|查看)|(?:を|も|か)?(?:確認|点検|チェック)(?:する|します|してください)?[。.]?$/iu;

/**
 * Whether the plan only has a file checked: all steps about it (without any, the summary of its change) say so. Such a
 * file may need no change.
 */
function isOnlyChecked(path: string, { file_changes: files, plan_steps: steps }: FixPlan): boolean {
  const planned = files.find((file) => file.path === path);
  if (planned?.operation !== "MODIFY") return false;
  const about = steps.filter(({ files_involved: involved }) => involved.includes(path));
  const said = about.length > 0 ? about.map(({ description }) => description) : [planned.change_summary];
  return said.every((text) => CHECKS.test(text.trim().replace(/^[`*_"“]+/, "")));
}
