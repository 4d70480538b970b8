import { codeSpan } from "../lib/text.ts";
import { TRACKERS } from "../adapters/trackers/registry.ts";
import { phrases } from "../i18n/phrases.ts";
import { staysNeutral } from "../domain/confidential.ts";
import { issueName } from "../domain/issue.ts";
import { code, inRow, prose } from "../domain/text/comment-markdown.ts";
import type { CheckResult, RunStatus, TaskRequest } from "../domain/work.ts";
import type { Task } from "../domain/plan.ts";
import { record } from "../storage/audit.ts";
import { addGap } from "../storage/gaps.ts";
import { markFeedbackAnswered } from "../storage/review-feedback.ts";
import { finishRun, runFacts } from "../storage/runs.ts";
import { isTaskActive, moveTask } from "../storage/tasks.ts";
import { postOnce } from "../notify/post-once.ts";
import type { LoopResult } from "./run/work-order.ts";
import { CHECK_PREFIX } from "./feedback.ts";
import { sayOnRequest } from "./request-posts.ts";
import { hasSameFailures } from "./run/progress.ts";
import { failingLines } from "./run/relevant-output.ts";
import { setupCause, tellingLine } from "./run/setup-failure.ts";
import { gapEvidenceOf } from "../domain/gap.ts";
import { openQuestion, stuckKey } from "./stuck-answers.ts";
import type { Claim } from "./claim.ts";
import type { WorkerDeps } from "./worker.ts";
import { isRed } from "../domain/work.ts";

type Bad = Exclude<LoopResult, { kind: "done" }>;

/** Whether the task is still active, after reading the current state of its issue from the tracker (R-LIFE-10). */
export async function isWanted({ issue, task }: Claim, deps: WorkerDeps): Promise<boolean> {
  await deps.catchUp(issue.id);
  return await isTaskActive(deps.db, task.id);
}

/** How a run without changes ends: the statuses of run and task, the issue's event, and the reason for people. */
interface Ending {
  run: Exclude<RunStatus, "running">;
  task: Task["status"];
  event: "run_stuck" | "run_failed" | "run_unneeded";
  why: string;
  /** Ids of feedback that later runs do not need to get again. */
  settled: string[];
}

/**
 * Ends a run without changes: posts one comment (what is missing, which hosts were `refused`) and waits for an answer
 * (R-WORK-4). If a request is open, the comment goes there and people answer in the review; a question always goes to
 * the issue (R-WORK-15). The comment is posted first: a retry after a crash finds it and does not post it twice.
 */
export async function endWithout(
  found: Claim,
  result: Bad,
  deps: WorkerDeps,
  refused: readonly string[] = [],
): Promise<void> {
  if (result.kind === "stopped") return await close(found, { run: "cancelled", why: "the task was taken back" }, deps);
  const missed = result.kind === "question" ? [] : refused.slice(0, MOST_HOSTS);
  const { language } = found.issue;
  const question = result.kind === "question" ? result.question : null;
  // The question is already in the thread, unanswered.
  const asked = question !== null && (await openQuestion(found.issue.id, question, deps)) !== null;
  const inReview = openRequestOf(found) !== null && question === null;
  if (!asked) {
    const words = paragraphs(
      wordsFor(result, { inReview, asBefore: await isAsBefore(result, found, deps) }, found),
      networkWords(missed, language),
    );
    const notice = { key: stuckKey(found.run), words, why: result.kind };
    if (question === null) await tell(found, notice, deps);
    else await postOnce(found.issue, notice, { ...deps, tracker: found.tracker });
  }
  const unusable = result.kind === "unusable";
  const reason = [unusable ? result.detail : whyOf(result), ...networkReason(missed)].join("; ");
  const why = [reason, ...(result.kind === "setup failed" ? setupHints(result, "en") : [])].join("\n");
  if (unusable) return await close(found, { run: "failed", task: "failed", event: "run_failed", why }, deps);
  if (!inReview) {
    return await close(found, { run: "stuck", task: "stuck", event: "run_stuck", why }, deps, asked ? null : question);
  }
  const settled = found.words.map(({ externalId }) => externalId).filter((id) => id.startsWith(CHECK_PREFIX));
  await close(found, { run: "stuck", task: "done", event: "run_unneeded", why, settled }, deps);
  // Handle events on the request that arrived during the run.
  await deps.jobs.setWake(found.issue.id, 0);
}

/** The open pull request of the run's task; null without one. */
function openRequestOf({ request }: Claim): TaskRequest | null {
  return request?.state === "open" ? request : null;
}

/** Posts how a run ended: on the open request, else in the issue. */
export async function tell(
  found: Claim,
  notice: { key: string; words: string; why: string },
  deps: WorkerDeps,
): Promise<void> {
  const { issue, tracker, codeHost } = found;
  const request = openRequestOf(found);
  const said = request !== null && (await sayOnRequest({ issue, number: request.number, codeHost }, notice, deps));
  if (!said) await postOnce(issue, notice, { ...deps, tracker });
}

/** Whether the previous run got stuck in the same way, so that people need not read it twice. */
async function isAsBefore(result: Bad, { earlier }: Claim, { db }: WorkerDeps): Promise<boolean> {
  const last = earlier.at(-1);
  if (last?.status !== "stuck" || (result.kind !== "no progress" && result.kind !== "limit")) return false;
  const before = (await runFacts(db, last.id)).iterations.at(-1);
  return before?.agent?.question === null && hasSameFailures(before.checks, result.checks);
}

/** Ends a run that leaves the pull request unchanged: its issue returns to review. */
export async function endInReview(
  found: Claim,
  { run, why }: { run: "done" | "failed"; why: string },
  deps: WorkerDeps,
): Promise<void> {
  await close(found, { run, task: "done", event: "run_unneeded", why }, deps);
}

/** Ends a run that failed for a reason that a retry cannot fix. */
export async function endBadly(found: Claim, error: string, deps: WorkerDeps): Promise<void> {
  // A person cancelled the task, so its outcome needs no comment.
  if (!(await isTaskActive(deps.db, found.task.id))) return await endWithout(found, { kind: "stopped" }, deps);
  const say = phrases("work", found.issue.language);
  await tell(found, { key: stuckKey(found.run), words: say("failed"), why: error }, deps);
  await close(found, { run: "failed", task: "failed", event: "run_failed", why: error }, deps);
}

async function close(
  { issue, task, run }: Claim,
  { run: status, task: next, event, why, settled = [] }: Pick<Ending, "run" | "why"> & Partial<Ending>,
  deps: WorkerDeps,
  question: string | null = null,
): Promise<void> {
  const { db } = deps;
  await deps.withIssueLock(issueName(issue), async () => {
    await db.transaction(async (tx) => {
      await finishRun(tx, run.id, { status, detail: why }, deps.clock);
      await markFeedbackAnswered(tx, task.id, settled);
      const after = { run: run.id, status };
      await record(tx, { issueId: issue.id, actor: "relay", what: "run.ended", why, after }, deps);
      // If the issue was closed, paused or stopped meanwhile, it stays so.
      if (next === undefined || event === undefined || !(await isTaskActive(tx, task.id))) return;
      await moveTask(tx, task.id, "running", next, deps.clock);
      if (question !== null) await addGap(tx, issue.id, gapOf(question, run.id), deps);
      await deps.transition(tx, issue.id, event, { why });
    });
    await deps.syncLabels(issue.id);
  });
}

/**
 * Stores the agent's question as a gap of the issue, so that it is counted, listed and closed like other gaps
 * (R-WORK-4).
 */
function gapOf(question: string, runId: string) {
  return {
    question,
    evidence: gapEvidenceOf(runId),
    severity: "blocking" as const,
    respondent: "assignee" as const,
    topic: null,
    proposedDefault: null,
    pending: false,
  };
}

function wordsFor(
  result: Exclude<Bad, { kind: "stopped" }>,
  { inReview, asBefore }: { inReview: boolean; asBefore: boolean },
  { issue, words: asked }: Pick<Claim, "issue" | "words">,
): string {
  const { language } = issue;
  const say = phrases("work", language, TRACKERS[issue.provider].requestWord);
  const next = say(inReview ? "request_stays" : "nothing_opened");
  const said = (text: string) => {
    const quote = prose(text, LONGEST_SAID);
    // The agent has read the issue and may quote it.
    return quote === "" || (inReview && staysNeutral(issue)) ? "" : `${say("agent_says")}\n\n> ${quote}`;
  };
  switch (result.kind) {
    case "question":
      return `${say("question")}\n\n${quoted(result.question)}\n\n${say("answer")}`;
    case "unusable":
      return say("unusable");
    case "setup failed":
      return paragraphs(say("setup"), shownOf(result.check), ...setupHints(result, language), next);
    case "outage":
      return paragraphs(say(`outage_${result.trouble.of}`), next);
    case "not caused": {
      const names = asked.filter(({ externalId }) => externalId.startsWith(CHECK_PREFIX)).map(({ author }) => author);
      const checks = inRow(
        [...new Set(names)].map((name) => code(name, 150)),
        600,
        names.length,
      );
      return paragraphs(say("not_caused", { checks }), said(result.said));
    }
    case "no progress":
    case "limit": {
      const what = result.kind === "limit" ? (`limit_${result.limit}` as const) : "no_progress";
      return asBefore
        ? paragraphs(say("as_before"), said(result.said), next)
        : paragraphs(say(what), failing(result, asked, language), said(result.said), next);
    }
    default:
      return result satisfies never;
  }
}

function whyOf(result: Exclude<Bad, { kind: "stopped" | "unusable" }>): string {
  if (result.kind === "question") {
    return `the agent asks: ${result.question.replaceAll(/\s+/g, " ").slice(0, LONGEST_QUESTION).toWellFormed()}`;
  }
  if (result.kind === "outage") return `${result.trouble.why}; it has been so for a day`;
  if (result.kind === "setup failed") {
    const line = tellingLine(result.check.output);
    return `the set-up command ${result.check.command} does not pass${line === "" ? "" : `: ${line}`}`;
  }
  if (result.kind === "not caused") return "the agent says that the change is not the cause of the red checks";
  const red = result.checks.filter(isRed).map(({ command }) => command);
  const still = red.length === 0 ? "" : `; still red: ${red.slice(0, MOST_SHOWN).join(", ")}`;
  const killed = result.bounds.length === 0 ? "" : `; the agent was killed at ${result.bounds.join(", ")}`;
  return `${result.kind === "limit" ? passed(result.limit) : result.detail}${killed}${still}`;
}

/** Hints on what to fix on the machine; lists the versions that the repository asks for if they may be the reason. */
function setupHints({ check, versions }: Extract<Bad, { kind: "setup failed" }>, language: string): string[] {
  const say = phrases("work", language);
  const cause = setupCause(check);
  if (cause !== null) {
    return [say(`setup_${cause.kind}`, { program: code("program" in cause ? cause.program : "", 60) })];
  }
  if (versions.length === 0 || !/\bversions?\b|\bengines?\b|\brequires?\b|unsupported/i.test(check.output)) return [];
  return [say("setup_versions", { versions: versions.map((one) => code(one, 100)).join(", ") })];
}

function passed(limit: string): string {
  return `the limit of ${limit} is reached (work.${limit === "money" ? "usd" : limit})`;
}

const MOST_HOSTS = 5;
/** For a reason that must fit on one line, in characters. */
const LONGEST_QUESTION = 500;

/** For readers of the issue: the hosts that the repository's programs tried to reach, and who can allow them. */
function networkWords(hosts: readonly string[], language: string): string {
  if (hosts.length === 0) return "";
  return phrases("work", language)("network", { hosts: hosts.map((host) => codeSpan(host)).join(", ") });
}

/** For the operator. */
function networkReason(hosts: readonly string[]): string[] {
  return hosts.length === 0 ? [] : [`nothing is let through to ${hosts.join(", ")}: work.network allows hosts`];
}

const MOST_SHOWN = 3;
const LONGEST_OUTPUT = 1_500;
const LONGEST_SAID = 1_000;

/**
 * The limits at which the agent was killed, then each failed command with the lines that show why. If no command
 * failed: the request's own red checks.
 */
function failing(
  { checks, isClean, bounds }: Pick<Extract<Bad, { kind: "limit" }>, "checks" | "isClean" | "bounds">,
  asked: Claim["words"],
  language: string,
): string {
  const ours = checks.filter(isRed);
  const theirs = asked
    .filter(({ externalId }) => externalId.startsWith(CHECK_PREFIX))
    .map(({ author, content }) => ({ command: author, output: content }));
  const red = ours.length > 0 ? ours : theirs;
  const say = phrases("work", language);
  const killed = bounds.map((one) => code(one, 100)).join(", ");
  const first = killed === "" ? "" : say("killed", { bounds: killed });
  if (red.length === 0) return first;
  const where = isClean && ours.length > 0 ? "failing_clean" : "failing";
  return paragraphs(first, say(where), ...red.slice(0, MOST_SHOWN).map(shownOf));
}

function shownOf({ command, output }: Pick<CheckResult, "command" | "output">): string {
  if (output.trim() === "") return code(command, 150);
  const lines = failingLines(output, LONGEST_OUTPUT);
  const fence = "`".repeat(Math.max(3, ...[...lines.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return `${codeSpan(command)}\n\n${fence}\n${lines}\n${fence}`;
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

function paragraphs(...all: string[]): string {
  return all.filter((one) => one !== "").join("\n\n");
}
